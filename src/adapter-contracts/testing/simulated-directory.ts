import type { Random } from './seeded-random.ts';
import type { SimulatedFile } from './simulated-file.ts';

export type SimulatedNode = SimulatedFile | SimulatedDirectory;

/** One operation on names. A rename changes two names, in one directory or in two, and a disk keeps or loses it as one. */
interface NameChange {
  /** How much of it survives a power cut; decided once, when the first of its directories asks. */
  share: number | null;
}

interface PendingName {
  readonly change: NameChange;
  readonly name: string;
  /** Null = the name goes away. */
  readonly node: SimulatedNode | null;
}

/** A directory as a disk with a volatile cache holds it: the names programs see, and those that would be there after a power cut. */
export interface SimulatedDirectory {
  readonly kind: 'directory';
  readonly ino: bigint;
  readonly mode: number;
  mtimeNs: bigint;
  ctimeNs: bigint;
  names: Map<string, SimulatedNode>;
  durable: Map<string, SimulatedNode>;
  pending: PendingName[];
}

export const createSimulatedDirectory = (ino: bigint, mode: number, now: bigint): SimulatedDirectory => ({
  kind: 'directory',
  ino,
  mode,
  mtimeNs: now,
  ctimeNs: now,
  names: new Map(),
  durable: new Map(),
  pending: [],
});

const setName = (names: Map<string, SimulatedNode>, name: string, node: SimulatedNode | null): void => {
  if (node === null) names.delete(name);
  else names.set(name, node);
};

/** Changes names together: they survive a power cut all or not at all. */
export const changeNames = (
  changes: readonly { readonly directory: SimulatedDirectory; readonly name: string; readonly node: SimulatedNode | null }[],
  now: bigint,
): void => {
  const change: NameChange = { share: null };
  for (const { directory, name, node } of changes) {
    setName(directory.names, name, node);
    directory.pending.push({ change, name, node });
    directory.mtimeNs = now;
    directory.ctimeNs = now;
  }
};

/** Makes a directory's names durable; the other half of a rename out of it or into it then survives as well. */
export const syncSimulatedDirectory = (directory: SimulatedDirectory): void => {
  for (const { change } of directory.pending) change.share = 1;
  directory.durable = new Map(directory.names);
  directory.pending = [];
};

/** The names after a power cut: those of the last sync, with each later change kept or lost as `keep` decides. */
export const cutSimulatedDirectory = (directory: SimulatedDirectory, keep: (random: Random) => number, random: Random): void => {
  const names = new Map(directory.durable);
  for (const { change, name, node } of directory.pending) {
    change.share ??= keep(random);
    if (change.share >= 0.5) setName(names, name, node);
  }
  directory.names = names;
  directory.durable = new Map(names);
  directory.pending = [];
};
