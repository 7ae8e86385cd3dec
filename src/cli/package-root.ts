import { createRequire } from 'node:module';
import { dirname } from 'node:path';

/** The directory of the installed package. Found by the package's own name, so that it holds for sources, build and bundle alike. */
export const packageRoot = dirname(createRequire(import.meta.url).resolve('sheaf/package.json'));
