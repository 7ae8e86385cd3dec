import { fileSystemError } from './file-system-error.ts';
import type { SimulatedDirectory, SimulatedNode } from './simulated-directory.ts';
import type { SimulatedFile } from './simulated-file.ts';

/** A name in a directory that exists, whether or not anything has that name. */
export interface SimulatedPlace {
  readonly directory: SimulatedDirectory;
  readonly name: string;
}

const segmentsOf = (path: string): readonly string[] => path.split('/').filter(segment => segment !== '');

/** What stands at an absolute path, or null. */
export const findNode = (root: SimulatedDirectory, path: string): SimulatedNode | null => {
  let node: SimulatedNode = root;
  for (const segment of segmentsOf(path)) {
    const next: SimulatedNode | undefined = node.kind === 'directory' ? node.names.get(segment) : undefined;
    if (next === undefined) return null;
    node = next;
  }
  return node;
};

export const directoryAt = (root: SimulatedDirectory, path: string, call: string): SimulatedDirectory => {
  const node = findNode(root, path);
  if (node === null) throw fileSystemError('ENOENT', call, path);
  if (node.kind !== 'directory') throw fileSystemError('ENOTDIR', call, path);
  return node;
};

export const placeAt = (root: SimulatedDirectory, path: string, call: string): SimulatedPlace => {
  const segments = segmentsOf(path);
  const name = segments.at(-1);
  if (name === undefined) throw fileSystemError('EPERM', call, path);
  return { directory: directoryAt(root, segments.slice(0, -1).join('/'), call), name };
};

export const nodeAt = (root: SimulatedDirectory, path: string, call: string): SimulatedNode => {
  const { directory, name } = placeAt(root, path, call);
  const node = directory.names.get(name);
  if (node === undefined) throw fileSystemError('ENOENT', call, path);
  return node;
};

export const fileAt = (root: SimulatedDirectory, path: string, call: string): SimulatedFile => {
  const node = nodeAt(root, path, call);
  if (node.kind === 'directory') throw fileSystemError('EISDIR', call, path);
  return node;
};
