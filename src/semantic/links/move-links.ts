import type { Link } from '#document';
import type { Registry } from '#registry';
import { handleOf } from '../records/document-facts.ts';
import { nameKey } from '../records/record-lookup.ts';
import { createLinkMap, type LinkMap } from './link-map.ts';
import { retarget } from './link-targets.ts';
import type { LinkedDocument, PlacedLink } from './linked-document.ts';

/** A set of documents that get other paths, and how links lead before and after. */
export interface Move {
  readonly before: LinkMap;
  readonly after: LinkMap;
  /** The new path of a document that moves; null for one that stays. */
  readonly newPath: (path: string) => string | null;
}

/** Documents as they are, without those that the move itself has made already, and old path → new path. */
export const createMove = (documents: readonly LinkedDocument[], moves: ReadonlyMap<string, string>, registry: Registry): Move => ({
  before: createLinkMap(documents),
  after: createLinkMap(documents.map(document => renamed(document, moves.get(document.path) ?? document.path, registry))),
  newPath: path => moves.get(path) ?? null,
});

const renamed = (document: LinkedDocument, path: string, registry: Registry): LinkedDocument => {
  if (path === document.path) return document;
  const { type } = document;
  return { ...document, path, handle: handleOf(path, type === null ? null : registry.resolve(type)) };
};

/** A link that somebody has to look at, because a move does not rewrite it. */
interface KeptLink {
  readonly link: PlacedLink;
  readonly reason: string;
}

export interface MovedLinks {
  /** Start of a link in the text → its new target. */
  readonly targets: ReadonlyMap<number, string>;
  readonly kept: readonly KeptLink[];
}

/**
 * Which links of a document have to be written anew so that each leads where it led, from where the document will be. A link that several documents answer
 * to is left to its author; so is one that leads nowhere.
 */
export const movedLinks = (document: LinkedDocument, move: Move): MovedLinks => {
  const targets = new Map<number, string>();
  const kept: KeptLink[] = [];
  const from = move.newPath(document.path) ?? document.path;
  for (const link of document.links) {
    const led = move.before.resolve(link, document.path);
    if (led.kind === 'ambiguous' && led.candidates.some(path => move.newPath(path) !== null)) {
      kept.push({ link, reason: `it may mean any of ${led.candidates.map(path => `'${path}'`).join(', ')}` });
    }
    if (led.kind !== 'resolved') continue;
    const goal = move.after.documents.get(move.newPath(led.path) ?? led.path);
    if (goal === undefined || leadsTo(link, from, goal, led.path, move)) continue;
    const target = retarget(link, from, goal, move.after);
    if (target === null) kept.push({ link, reason: `no link of its form can name '${goal.path}'` });
    else targets.set(link.start, target);
  }
  return { targets, kept };
};

/** Whether the link as written will lead to `goal`. One that calls a document by its file name follows a new file name, also where another name still fits. */
const leadsTo = (link: Link, from: string, goal: LinkedDocument, before: string, move: Move): boolean => {
  const leads = move.after.resolve(link, from);
  if (leads.kind !== 'resolved' || leads.path !== goal.path) return false;
  const old = move.before.documents.get(before)?.handle ?? '';
  return link.kind !== 'wiki' || nameKey(link.target) !== nameKey(old) || goal.handle === old;
};
