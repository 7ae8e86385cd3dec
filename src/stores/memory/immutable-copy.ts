const freeze = (value: unknown): void => {
  if (typeof value !== 'object' || value === null) return;
  for (const member of Object.values(value)) freeze(member);
  Object.freeze(value);
};

/** A deep copy that nobody can change, so that a record handed in or out can never be edited behind the store's back. */
export const immutableCopy = <T>(value: T): T => {
  const copy = structuredClone(value);
  freeze(copy);
  return copy;
};
