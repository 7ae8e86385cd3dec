export { emptyMap, type FrontmatterMap, hasKey, isMap, type Value } from './value.ts';
