export { type Change, checkChange, checkIndexContent } from './check-change.ts';
export { type LintInput, lintDocument } from './lint-document.ts';
export { definitionOf, type ReferencedSnapshot, referencedPaths, snapshotOf } from './references.ts';
export { type Verdict, validateDocument } from './validate-document.ts';
