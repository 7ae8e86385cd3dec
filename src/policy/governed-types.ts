/** Types whose documents decide about rights or rules; writing one or accepting a hand edit of one is a person's decision (readings: hand edits, roles). */
export const governedTypes: ReadonlySet<string> = new Set([
  'ssss:role',
  'ssss:security_role',
  'ssss:model',
  'ssss:primitive',
  'ssss:migration',
  'ssss:release',
]);
