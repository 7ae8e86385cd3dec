import { composeRegistry, type Definition, type ExtensionRegistry, type Registry } from '#registry';
import type { LoadedExtensionFile } from './load-workspace.ts';

/**
 * The registry of a vault that has extensions this machine has not trusted (identity: a vault from elsewhere). What they declare about capabilities only
 * adds: besides whatever a type asks for, its own `<qualified>:<action>` is asked for too, so that no file from elsewhere makes an action cheaper than
 * it would be without the file. Types, fields and verdicts are the same, and so is the digest, which pins the files.
 */
export const cautiousRegistry = (
  registry: Registry,
  extensions: readonly LoadedExtensionFile[],
  untrusted: readonly string[],
): Registry => {
  if (untrusted.length === 0) return registry;
  const composed = composeRegistry({
    extensions: extensions.map(({ id, extension }) => (untrusted.includes(id) ? cautious(extension) : extension)),
  });
  return Object.freeze<Registry>({
    ...composed,
    get digest() {
      return registry.digest;
    },
  });
};

const cautious = (extension: ExtensionRegistry): ExtensionRegistry => ({
  ...extension,
  definitions: extension.definitions.map(definition => ({ ...definition, capabilities: withOwnName(definition) })),
});

const withOwnName = ({ qualified, capabilities }: Definition): Definition['capabilities'] =>
  Object.fromEntries(
    Object.entries(capabilities).map(([action, declared]) => [action, [...new Set([...declared, `${qualified}:${action}`])]]),
  );
