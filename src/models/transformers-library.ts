import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { EmbedderUnavailableError } from '#adapter-contracts';
import { reasonOf } from '#errors';

/** What is used of transformers.js. */
interface Transformers {
  readonly env: { allowRemoteModels: boolean; allowLocalModels: boolean; localModelPath: string };
  readonly pipeline: (task: 'feature-extraction', model: string, options: Readonly<Record<string, unknown>>) => Promise<unknown>;
}

const packageName = '@huggingface/transformers';

/**
 * Loads the optional library: from the `node_modules` of a directory named in the machine's own settings, else from beside this package. Never from the
 * working directory or the vault, whose files may be somebody else's. Throws `EmbedderUnavailableError` that says how to install it.
 */
export const loadTransformers = async (directory: string | null): Promise<Transformers> => {
  try {
    const specifier =
      directory === null ? packageName : pathToFileURL(createRequire(join(resolve(directory), 'package.json')).resolve(packageName)).href;
    const loaded = (await import(specifier)) as Partial<Transformers> & { readonly default?: Partial<Transformers> };
    const { env, pipeline } = { ...loaded.default, ...loaded };
    if (env === undefined || pipeline === undefined) throw new Error('it exports no `env` and `pipeline`');
    return { env, pipeline };
  } catch (error) {
    const missing = isMissing(error);
    const how =
      directory === null
        ? `run \`npm install ${packageName}\` where Sheaf is installed, or install it in a directory of your own and name that with --library`
        : `run \`npm install ${packageName}\` in '${directory}'`;
    const what = missing ? 'is not installed' : `cannot be loaded (${reasonOf(error)})`;
    throw new EmbedderUnavailableError(`a local model needs the library ${packageName}, which ${what}: ${how}`, { cause: error });
  }
};

/** Whether the library itself is missing, rather than something that it needs. */
const isMissing = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  (error.code === 'ERR_MODULE_NOT_FOUND' || error.code === 'MODULE_NOT_FOUND') &&
  error.message.includes(packageName);
