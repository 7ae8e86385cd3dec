const namespaceForm = /^[a-z][a-z0-9_-]{0,63}$/;
const typeForm = /^[a-z][a-z0-9_-]{0,127}$/;
const fieldForm = /^[A-Za-z][A-Za-z0-9_-]{0,127}$/;
const actionForm = /^[a-z][a-z0-9_-]{0,63}$/;
const capabilityForm = /^(?:\*:\*|[A-Za-z0-9][A-Za-z0-9_.-]*(?::[A-Za-z0-9][A-Za-z0-9_.-]*)*:(?:[A-Za-z0-9][A-Za-z0-9_.-]*|\*))$/;

/** Names of the contract's own structures and of `index.md`: an extension with one could forge grants and events (readings: extensions). */
const reservedNames = ['operation', 'patch', 'event', 'delete', 'lease', 'index'];

/** Scopes of capabilities that are no types: an extension of such a name would share grants with them. */
const reservedNamespaces = ['ssss', 'write', 'read', 'admin', 'govern', 'run', 'export', 'import', 'search', 'app', 'hub', 'sheaf'];

/** Actions a registry may declare capabilities for: the six of §6.6, and reading. */
export const capabilityActions = ['create', 'replace', 'patch', 'append', 'event', 'delete', 'read'] as const;

export const namespaceProblem = (name: string): string | null => {
  if (!namespaceForm.test(name))
    return `'${name}' is not a namespace: lowercase ASCII letters, digits, '-' and '_', starting with a letter, at most 64 signs.`;
  return reservedNamespaces.includes(name) ? `'${name}' is reserved; choose another namespace.` : null;
};

export const typeNameProblem = (name: string): string | null => {
  if (!typeForm.test(name))
    return `'${name}' is not a type name: lowercase ASCII letters, digits, '-' and '_', starting with a letter, at most 128 signs.`;
  return reservedNames.includes(name) ? `'${name}' is reserved for the contract itself; choose another name.` : null;
};

export const isTypeName = (name: string): boolean => typeForm.test(name);
/** Symbolic field identifiers (§5.4); `__body__` can never be one. */
export const isSymbolicId = (name: string): boolean => fieldForm.test(name);
export const isAction = (name: string): boolean => actionForm.test(name);
/** `scope(:scope)*:action`, with `*` in the action position for every action (§5.4, readings: extensions). */
export const isCapability = (text: string): boolean => capabilityForm.test(text);
