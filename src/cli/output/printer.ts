import type { WriteStream } from 'node:tty';
import { createPalette, type Palette } from './palette.ts';
import { type Cell, tableLines } from './table.ts';

export interface PrinterOptions {
  readonly json: boolean;
  readonly quiet: boolean;
}

/**
 * The two voices of a command: results on standard output, as text or, with `--json`, as one JSON value per line and nothing else; everything
 * meant for the person on standard error.
 */
export interface Printer extends PrinterOptions {
  /** For standard output. */
  readonly palette: Palette;
  /** For standard error. */
  readonly errorPalette: Palette;
  /** Columns of the terminal on standard output; null when it is none. */
  readonly width: number | null;
  /** A JSON value on a line of its own, in JSON mode only. Resolves when the output can take more. */
  readonly value: (value: unknown) => Promise<void>;
  /** A line for people; nothing in JSON mode. */
  readonly line: (text?: string) => Promise<void>;
  /** Aligned rows for people; nothing in JSON mode. */
  readonly table: (rows: readonly (readonly Cell[])[], flexible?: number) => Promise<void>;
  /** Bytes as they are, in either mode. */
  readonly raw: (bytes: Uint8Array | string) => Promise<void>;
  /** A remark on standard error; nothing with `--quiet`. */
  readonly note: (text: string) => void;
  /** On standard error, always. */
  readonly complain: (text: string) => void;
}

export const createPrinter = (options: PrinterOptions, streams: { readonly out: WriteStream; readonly err: WriteStream }): Printer => {
  const { out, err } = streams;
  const raw = (bytes: Uint8Array | string): Promise<void> =>
    out.write(bytes) || out.destroyed ? Promise.resolve() : new Promise(resolve => onceFree(out, resolve));
  const line = (text = ''): Promise<void> => (options.json ? Promise.resolve() : raw(`${text}\n`));
  const width = out.isTTY ? out.columns || 80 : null;
  return {
    ...options,
    palette: createPalette(out),
    errorPalette: createPalette(err),
    width,
    raw,
    line,
    value: value => (options.json ? raw(`${JSON.stringify(value)}\n`) : Promise.resolve()),
    table: async (rows, flexible) => {
      for (const text of tableLines(rows, flexible === undefined ? { width } : { width, flexible })) await line(text);
    },
    note: text => void (options.quiet || err.write(`${text}\n`)),
    complain: text => void err.write(`${text}\n`),
  };
};

// A pipe whose reader is gone never drains; waiting for `drain` alone would hang.
const onceFree = (stream: WriteStream, resolve: () => void): void => {
  const free = (): void => {
    stream.off('drain', free);
    stream.off('close', free);
    stream.off('error', free);
    resolve();
  };
  stream.on('drain', free);
  stream.on('close', free);
  stream.on('error', free);
};
