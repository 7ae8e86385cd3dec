/** Types whose documents decide about rights or rules; accepting a hand edit of one is asked separately (readings: hand edits). */
export const governedTypes: ReadonlySet<string> = new Set([
  'ssss:role',
  'ssss:security_role',
  'ssss:model',
  'ssss:primitive',
  'ssss:migration',
  'ssss:release',
]);
