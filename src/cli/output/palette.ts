import type { WriteStream } from 'node:tty';
import colors from 'picocolors';

export interface Palette {
  readonly strong: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly good: (text: string) => string;
  readonly warn: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly name: (text: string) => string;
}

/** Colours for a stream: only on a terminal that can show them, and never when `NO_COLOR` is set (https://no-color.org). */
export const createPalette = (stream: Pick<WriteStream, 'isTTY'>): Palette => {
  const enabled = stream.isTTY === true && (process.env.NO_COLOR ?? '') === '' && process.env.TERM !== 'dumb';
  const { bold, dim, green, yellow, red, cyan } = colors.createColors(enabled);
  return { strong: bold, dim, good: green, warn: yellow, bad: red, name: cyan };
};
