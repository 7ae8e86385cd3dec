import { createHash } from 'node:crypto';
import type { BundleFile } from './bundle.ts';

/**
 * The hash that makes a bundle tamper-evident (§16.3): SHA-256 over the files as JSON, each `{"path":…,"content":…}` and nothing else, sorted by path in
 * UTF-16 code units. Hashes piece by piece, so that a large bundle needs no second copy of itself.
 *
 * @returns `sha256:<hex>`
 */
export const bundleContentHash = (files: readonly BundleFile[]): string => {
  const hash = createHash('sha256').update('[');
  const sorted = isSorted(files) ? files : files.slice().sort(byPath);
  sorted.forEach(({ path, content }, index) => {
    hash.update(`${index === 0 ? '' : ','}${JSON.stringify({ path, content })}`);
  });
  return `sha256:${hash.update(']').digest('hex')}`;
};

/** The order of files in a bundle. */
export const byPath = (left: BundleFile, right: BundleFile): number => (left.path < right.path ? -1 : left.path > right.path ? 1 : 0);

const isSorted = (files: readonly BundleFile[]): boolean =>
  files.every((file, index) => index === 0 || byPath(files[index - 1] as BundleFile, file) < 0);
