import { composeRegistry } from './compose-registry.ts';
import type { Registry } from './definition.ts';

let core: Registry | undefined;

/** The registry of the standard alone, from `registry/core.json` of this package (§5.1). One immutable instance per process. */
export function loadCoreRegistry(): Registry {
  core ??= composeRegistry({ extensions: [] });
  return core;
}
