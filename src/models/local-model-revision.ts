import { createHash } from 'node:crypto';
import { closeSync, existsSync, fstatSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';

const sampleBytes = 4096;
const samples = 16;

/**
 * Twelve hexadecimal digits that change with the model in a directory: configuration and tokeniser as a whole, of the weights their sizes and some
 * samples. Training changes every layer, so samples tell models apart without reading gigabytes at each start.
 */
export const localModelRevision = (directory: string, dtype: string): string => {
  const hash = createHash('sha256').update(JSON.stringify([dtype]));
  for (const name of ['config.json', 'tokenizer.json', 'tokenizer_config.json']) {
    const file = join(directory, name);
    hash.update(name).update(existsSync(file) ? readFileSync(file) : '');
  }
  const onnx = join(directory, 'onnx');
  for (const name of existsSync(onnx) ? readdirSync(onnx).sort() : []) hash.update(name).update(sampleFile(join(onnx, name)));
  return hash.digest('hex').slice(0, 12);
};

const sampleFile = (file: string): Buffer => {
  const fd = openSync(file, 'r');
  try {
    const { size } = fstatSync(fd);
    const parts = [Buffer.from(`${size}:`)];
    for (let index = 0; index < samples; index += 1) {
      const buffer = Buffer.alloc(sampleBytes);
      const at = Math.floor((Math.max(0, size - sampleBytes) * index) / (samples - 1));
      parts.push(buffer.subarray(0, readSync(fd, buffer, 0, sampleBytes, at)));
    }
    return Buffer.concat(parts);
  } finally {
    closeSync(fd);
  }
};
