export { canonicalJson } from './canonical-json.ts';
export { hashContent } from './content-hash.ts';
export { foldPath } from './fold-path.ts';
export { matchGlob } from './glob.ts';
export { decodeUtf8, encodeUtf8, isWellFormed } from './utf8.ts';
export { emptyMap, type FrontmatterMap, hasKey, isMap, type Value } from './value.ts';
export { checkDocumentPath, checkPath, isIndexPath, isReservedPath } from './vault-path.ts';
