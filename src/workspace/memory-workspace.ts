import { defaultPolicy, type Policy, parsePolicy } from '#policy';
import { composeRegistry, parseExtension, type Registry } from '#registry';

/** The configuration of a vault that lives as long as the process, from what its files would hold. Throws as `loadWorkspace`. */
export const memoryWorkspace = (options: {
  readonly extensions?: readonly object[];
  readonly policy?: object;
}): { readonly registry: Registry; readonly policy: Policy } => {
  const extensions = (options.extensions ?? []).map((extension, index) =>
    parseExtension(JSON.stringify(extension), `extensions[${index}]`),
  );
  const registry = composeRegistry({ extensions });
  const policy = options.policy === undefined ? defaultPolicy : parsePolicy(JSON.stringify(options.policy), 'policy', registry);
  return { registry, policy };
};
