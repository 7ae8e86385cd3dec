import type { Random } from './seeded-random.ts';
import { type SimulatedFile, type Survival, simulatedFileAfterCut } from './simulated-file.ts';

export type SimulatedNode = SimulatedFile | SimulatedDirectory;

/** One operation on names. A rename changes two names, in one directory or in two, and a disk keeps or loses it as one. */
interface NameChange {
  /** One of its directories was synced, and it with it. */
  durable: boolean;
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
  readonly birthtimeNs: bigint;
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
  birthtimeNs: now,
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
  const change: NameChange = { durable: false };
  for (const { directory, name, node } of changes) {
    setName(directory.names, name, node);
    directory.pending.push({ change, name, node });
    directory.mtimeNs = now;
    directory.ctimeNs = now;
  }
};

/** Makes a directory's names durable; the other half of a rename out of it or into it then survives as well. */
export const syncSimulatedDirectory = (directory: SimulatedDirectory): void => {
  for (const { change } of directory.pending) change.durable = true;
  directory.durable = new Map(directory.names);
  directory.pending = [];
};

/**
 * The directory, and everything below it, as a power cut leaves it: the names of the last sync, with each later change kept or lost as `keep` decides,
 * once for all the directories it concerns.
 */
export const simulatedDirectoryAfterCut = (
  directory: SimulatedDirectory,
  keep: (random: Random) => Survival,
  random: Random,
): SimulatedDirectory => {
  const fates = new Map<NameChange, boolean>();
  const nodes = new Map<SimulatedNode, SimulatedNode>();
  const survives = (change: NameChange): boolean => {
    const decided = change.durable ? true : fates.get(change);
    if (decided !== undefined) return decided;
    const survival = keep(random);
    const fate = survival === 'scattered' ? random() < 0.5 : survival >= 0.5;
    fates.set(change, fate);
    return fate;
  };
  const nodeAfter = (node: SimulatedNode): SimulatedNode => {
    const known = nodes.get(node);
    if (known !== undefined) return known;
    const after = node.kind === 'file' ? simulatedFileAfterCut(node, keep, random) : directoryAfter(node);
    nodes.set(node, after);
    return after;
  };
  const directoryAfter = (node: SimulatedDirectory): SimulatedDirectory => {
    const names = new Map(node.durable);
    for (const { change, name, node: named } of node.pending) if (survives(change)) setName(names, name, named);
    for (const [name, child] of names) names.set(name, nodeAfter(child));
    return { ...node, names, durable: new Map(names), pending: [] };
  };
  return directoryAfter(directory);
};
