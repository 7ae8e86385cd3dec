import { EmbedderUnavailableError } from '#adapter-contracts';

/** The key of a model's endpoint: where it is read from, and the one origin it may be sent to. */
export interface ModelKey {
  /** Name of the environment variable that holds it. */
  readonly env: string;
  readonly origin: string;
}

/** Reads the key for a request to `url`; null when none was set. Throws rather than send it to another origin than it was set for. */
export const readModelKey = (key: ModelKey | null, url: URL, environment: NodeJS.ProcessEnv): string | null => {
  if (key === null) return null;
  if (url.origin !== key.origin) {
    throw new EmbedderUnavailableError(
      `the key in ${key.env} was set for ${key.origin} and is not sent to ${url.origin}: set the embedder again, naming the key`,
    );
  }
  const value = environment[key.env]?.trim();
  if (value === undefined || value === '') {
    throw new EmbedderUnavailableError(`the environment variable ${key.env}, which is to hold the key for ${key.origin}, is not set`);
  }
  // Headers cannot carry anything else, and the error of the HTTP library would show it.
  if (!/^[\x21-\x7e]+$/.test(value)) throw new EmbedderUnavailableError(`the key in ${key.env} holds characters that no header can carry`);
  return value;
};

/** Text of an endpoint, for an error message: short, on one line, and withheld where it repeats the key, even a part of it. */
export const quotable = (text: string, key: string | null): string => {
  const line = text.replaceAll(/[\p{C}\s]+/gu, ' ').trim();
  const repeats = key !== null && pieces(key).some(piece => line.includes(piece));
  if (repeats) return '';
  return line.length > 200 ? `${line.slice(0, 200).toWellFormed()}…` : line;
};

const pieceLength = 6;

const pieces = (key: string): readonly string[] =>
  key.length <= pieceLength
    ? [key]
    : Array.from({ length: key.length - pieceLength + 1 }, (_, start) => key.slice(start, start + pieceLength));
