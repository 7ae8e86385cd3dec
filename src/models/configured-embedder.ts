import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Embedder } from '#adapter-contracts';
import { reasonOf, withoutHostPaths } from '#errors';
import { checkEmbedderSettings, type EmbedderSettings, embedsPrivate, parseEmbedderSettings } from './embedder-settings.ts';
import { createEndpointEmbedder } from './endpoint-embedder.ts';
import { createLocalEmbedder } from './local-embedder.ts';
import { isLoopbackUrl } from './loopback.ts';

/** The embedding model that is in force now. */
export interface ConfiguredEmbedder {
  /** Null when none is configured, or when the settings cannot be used. */
  readonly embedder: Embedder | null;
  /** Why a configured embedder cannot be used; callers from elsewhere see it, so it names no place on this machine. */
  readonly problem: string | null;
  /** Whether documents of private classes may be embedded. */
  readonly embedsPrivate: boolean;
  /** Where text is sent: an origin or the name of a directory; null without an embedder or for one that the program brought. */
  readonly place: string | null;
  /** Whether text leaves this machine. */
  readonly hosted: boolean;
}

/** The setting of one vault on this machine (`embedder.json`). */
export interface EmbedderFile {
  readonly path: string;
  /** What is in force now; the file is read again when it changed, so that a running server follows it. */
  current(): ConfiguredEmbedder;
  /** As written; null = none. Throws `EmbedderSettingsError`. */
  read(): EmbedderSettings | null;
  /** Replaces the setting; null removes it. Throws `EmbedderSettingsError` rather than write what cannot be used. */
  write(settings: unknown): EmbedderSettings | null;
}

interface FileOptions {
  readonly stateDir: string;
  /** Replaces a small private file as a whole. */
  readonly writeFile: (path: string, text: string) => void;
  readonly environment?: NodeJS.ProcessEnv;
}

const fileName = 'embedder.json';

const none: ConfiguredEmbedder = { embedder: null, problem: null, embedsPrivate: false, place: null, hosted: false };

export const openEmbedderFile = ({ stateDir, writeFile, environment }: FileOptions): EmbedderFile => {
  const path = join(stateDir, fileName);
  let seen: { readonly stamp: string; readonly current: ConfiguredEmbedder } | null = null;
  const read = (): EmbedderSettings | null => (existsSync(path) ? parseEmbedderSettings(readFileSync(path, 'utf8'), fileName) : null);
  return {
    path,
    read,
    current() {
      const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
      if (stat === undefined) return none;
      const stamp = `${stat.ino}:${stat.size}:${stat.mtimeNs}`;
      if (seen?.stamp !== stamp) seen = { stamp, current: openConfigured(read, environment) };
      return seen.current;
    },
    write(settings) {
      if (settings === null) {
        rmSync(path, { force: true });
        return null;
      }
      const checked = checkEmbedderSettings(settings, fileName);
      writeFile(path, `${JSON.stringify(checked, null, 2)}\n`);
      return checked;
    },
  };
};

/** The embedder that a program brings itself; it decides alone what it sends where. */
export const givenEmbedder = (embedder: Embedder, options: { readonly embedsPrivate: boolean }): ConfiguredEmbedder => ({
  ...none,
  embedder,
  embedsPrivate: options.embedsPrivate,
});

export const noEmbedder = none;

/** An embedder as its settings describe it. Throws an Error when the directory of a local model holds none. */
const openEmbedder = (settings: EmbedderSettings, environment?: NodeJS.ProcessEnv): Embedder =>
  settings.kind === 'local'
    ? createLocalEmbedder(settings)
    : createEndpointEmbedder(settings, environment === undefined ? {} : { environment });

const openConfigured = (read: () => EmbedderSettings | null, environment: NodeJS.ProcessEnv | undefined): ConfiguredEmbedder => {
  try {
    const settings = read();
    if (settings === null) return none;
    return {
      embedder: openEmbedder(settings, environment),
      problem: null,
      embedsPrivate: embedsPrivate(settings),
      place: settings.kind === 'local' ? basename(settings.directory) : new URL(settings.base_url).origin,
      hosted: settings.kind === 'endpoint' && !isLoopbackUrl(new URL(settings.base_url)),
    };
  } catch (error) {
    return { ...none, problem: withoutHostPaths(reasonOf(error)) };
  }
};
