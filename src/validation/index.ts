export { checkChange, checkIndexContent } from './check-change.ts';
export { lintDocument } from './lint-document.ts';
export { type ReferencedSnapshot, referencedPaths, snapshotOf } from './references.ts';
export { type Verdict, validateDocument } from './validate-document.ts';
