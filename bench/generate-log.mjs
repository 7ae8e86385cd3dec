// An event log of any length, as a vault that was used for years has one: real events of the kernel with other ids, keys and subjects.
// Written straight into segments, because the point is what comes after; the first opening indexes it.
import { createHash } from 'node:crypto';
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { openMemoryVault } from '#open-vault';
import { generateDocument } from './generate-vault.mjs';

const owner = {
  id: 'local:bench',
  kind: 'human',
  workspaceIds: ['ws-bench'],
  capabilities: ['*:*'],
  authentication: { provider: 'os', assurance: 'verified' },
};

/** One event of the kernel as a template. */
const templateEvent = async () => {
  const vault = await openMemoryVault({ workspaceId: 'ws-bench' });
  try {
    const { content } = generateDocument(3, 10);
    const response = await vault.execute(
      { type: 'operation', workspace_id: 'ws-bench', idempotency_key: 'template', path: 'rules/template.md', content },
      { principal: owner },
    );
    if (!response.success) throw new Error(response.error.message);
    for await (const { event } of vault.events()) return event;
    throw new Error('the kernel wrote no event');
  } finally {
    await vault.close();
  }
};

/** The nth id of a log: a UUID of version 7 that grows with n. */
const idAt = (index, kind) => {
  const time = (1_700_000_000_000 + index).toString(16).padStart(12, '0');
  const rest = createHash('sha256').update(`${kind}${index}`).digest('hex');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${rest.slice(0, 3)}-8${rest.slice(3, 6)}-${rest.slice(6, 18)}`;
};

export const keyAt = index => `generated-${index}`;

/**
 * Writes `count` events below `root` in segments of `segmentBytes`. Event n is about document n modulo `documents`; the last event of each document
 * records the hash of the document that `generateDocument` makes, so that log and files agree. Returns the number of segments.
 */
export const writeGeneratedLog = async (root, { count, documents, segmentBytes = 32 << 20 }) => {
  const template = await templateEvent();
  const hashes = Array.from({ length: documents }, (_, index) => {
    const { path, content } = generateDocument(index, documents);
    return { path, hash: `sha256:${createHash('sha256').update(content).digest('hex')}` };
  });
  const directory = join(root, '.ssss/events');
  mkdirSync(directory, { recursive: true });
  let segment = 0;
  let fd = -1;
  let size = segmentBytes;
  let lines = [];
  let waiting = 0;
  const flush = () => {
    if (lines.length === 0) return;
    if (size + waiting > segmentBytes) {
      if (fd !== -1) closeSync(fd);
      segment += 1;
      fd = openSync(join(directory, `${String(segment).padStart(8, '0')}.jsonl`), 'wx');
      size = 0;
    }
    size += writeSync(fd, lines.join(''));
    lines = [];
    waiting = 0;
  };
  for (let index = 0; index < count; index++) {
    const { path, hash } = hashes[index % documents];
    const event = {
      ...template,
      event_id: idAt(index, 'event'),
      operation_id: idAt(index, 'operation'),
      idempotency_key: keyAt(index),
      subject: path,
      after_hash: hash,
      before_hash: index < documents ? null : hash,
      action: index < documents ? 'create' : 'replace',
    };
    const line = `${JSON.stringify(event)}\n`;
    lines.push(line);
    waiting += line.length;
    if (waiting > 1 << 20) flush();
  }
  flush();
  if (fd !== -1) closeSync(fd);
  return segment;
};
