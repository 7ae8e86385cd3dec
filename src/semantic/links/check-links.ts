import { anchorKey, isReservedPath, type Link, linkPaths } from '#document';
import type { LinkMap } from './link-map.ts';
import type { LinkedDocument, PlacedLink } from './linked-document.ts';

/** What is wrong with a link. */
export type LinkFault =
  /** Nothing in the vault answers to it. */
  | 'missing'
  /** Several documents do. */
  | 'ambiguous'
  /** Only another letter case or Unicode form does. */
  | 'wrong_case'
  /** The document is there, but the address lacks `.md`. */
  | 'missing_ending'
  /** The document has no such heading, block or id. */
  | 'missing_heading'
  /** It leads into what belongs to the host. */
  | 'reserved'
  /** A document that may travel leads to one that stays (§5.5). */
  | 'private';

interface Fault {
  readonly fault: LinkFault;
  readonly message: string;
  /** Documents it may have meant. */
  readonly candidates: readonly string[];
  /** The one document it can only have meant; null when somebody has to choose. */
  readonly repair: string | null;
}

/** One faulty link, or path in frontmatter, with its place. */
export interface LinkFinding extends Fault {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  /** What a reader meets is an error; what only a copy elsewhere would meet, and what nobody can mend in a record, is a warning. */
  readonly severity: 'error' | 'warning';
  /** As meant, without the anchor. */
  readonly target: string;
  /** Null for a path in frontmatter. */
  readonly link: PlacedLink | null;
  /** The frontmatter field; null for a link of the body. */
  readonly field: string | null;
}

/** Where the document went that is no longer at a path; null where nobody knows. */
export type WhereTo = (path: string) => string | null;

/** Everything that is wrong with the links and the frontmatter paths of one document, in order of their lines (readings: links between documents). */
export const checkLinks = (document: LinkedDocument, map: LinkMap, whereTo: WhereTo): readonly LinkFinding[] => {
  const links = document.links.flatMap(link => placed(document, link, linkFault(document, link, map, whereTo)));
  const endless = document.endless.flatMap(link => placed(document, link, endlessFault(document, link, map)));
  const fields = document.fields.flatMap(({ field, path, line, declared }): LinkFinding[] => {
    if (map.documents.has(path)) return [];
    const fault = fieldFault(path, map, whereTo);
    // In a field of somebody's own, a text is a path only when a document can have been meant.
    if (!declared && fault.candidates.length === 0) return [];
    return [{ path: document.path, line, column: 1, severity: 'error', target: path, link: null, field, ...fault }];
  });
  return [...links, ...endless, ...fields].sort((left, right) => left.line - right.line || left.column - right.column);
};

const placed = ({ path, appendOnly }: LinkedDocument, link: PlacedLink, fault: Fault | null): readonly LinkFinding[] => {
  if (fault === null) return [];
  const severity = fault.fault === 'private' || appendOnly ? 'warning' : 'error';
  return [{ path, line: link.line, column: link.column, severity, target: link.target, link, field: null, ...fault }];
};

const linkFault = (document: LinkedDocument, link: Link, map: LinkMap, whereTo: WhereTo): Fault | null => {
  const leads = map.resolve(link, document.path);
  if (leads.kind === 'unresolved') return unresolvedFault(link, document.path, map, whereTo);
  if (leads.kind === 'ambiguous') {
    const { candidates } = leads;
    const message = `'${link.target}' may be any of ${quoted(candidates)}: write the path of the one that is meant`;
    return { fault: 'ambiguous', message, candidates, repair: null };
  }
  const target = map.documents.get(leads.path);
  return target === undefined ? null : (headingFault(link, target) ?? travelFault(document, target));
};

const headingFault = ({ anchor }: Link, target: LinkedDocument): Fault | null => {
  const key = anchor === null ? '' : anchorKey(anchor);
  if (key === '' || target.anchors.has(key)) return null;
  return { fault: 'missing_heading', message: `'${target.path}' has no heading '${anchor}'`, candidates: [], repair: null };
};

const travelFault = (document: LinkedDocument, target: LinkedDocument): Fault | null => {
  if (document.portability !== 'structural' || target.portability === null || target.portability === 'structural') return null;
  const message = `'${target.path}' is ${target.portability}: wherever this document travels to, the link leads nowhere`;
  return { fault: 'private', message, candidates: [], repair: null };
};

const endlessFault = (document: LinkedDocument, link: Link, map: LinkMap): Fault | null => {
  const leads = map.resolve({ ...link, target: `${link.target}.md` }, document.path);
  if (leads.kind !== 'resolved') return null;
  const message = `the address '${link.target}' lacks the ending '.md'`;
  return { fault: 'missing_ending', message, candidates: [leads.path], repair: leads.path };
};

const unresolvedFault = (link: Link, from: string, map: LinkMap, whereTo: WhereTo): Fault => {
  const paths = linkPaths(link, from);
  if (paths.some(isReservedPath)) {
    return { fault: 'reserved', message: `'${link.target}' leads into what belongs to the host`, candidates: [], repair: null };
  }
  const twins = unique(paths.flatMap(path => map.twins(path)));
  if (twins.length > 0) return spelling(link.target, twins);
  if (paths.length > 0) return missing(paths[0] ?? link.target, pathCandidates(paths, map, whereTo));
  // A likeness is a hint for a person, not a repair.
  return { ...missing(link.target, map.alike(link.target)), repair: null };
};

const fieldFault = (path: string, map: LinkMap, whereTo: WhereTo): Fault => {
  const twins = map.twins(path);
  return twins.length > 0 ? spelling(path, twins) : missing(path, pathCandidates([path], map, whereTo));
};

const spelling = (target: string, twins: readonly string[]): Fault => ({
  fault: 'wrong_case',
  message: `'${target}' is written otherwise: ${quoted(twins)}`,
  candidates: twins,
  repair: only(twins),
});

const missing = (target: string, candidates: readonly string[]): Fault => {
  const hint = candidates.length === 0 ? '' : `; perhaps ${quoted(candidates)}`;
  return { fault: 'missing', message: `there is no '${target}'${hint}`, candidates, repair: only(candidates) };
};

/** Where the document went that stood at one of the paths; else those that answer to its whole text, or own its name now. */
const pathCandidates = (paths: readonly string[], map: LinkMap, whereTo: WhereTo): readonly string[] => {
  const moved = unique(paths.map(whereTo).filter(path => path !== null)).filter(path => map.documents.has(path));
  if (moved.length > 0) return moved;
  const identified = unique(paths.flatMap(path => map.named(path.replace(/\.md$/, ''))));
  return identified.length > 0 ? identified : unique(paths.flatMap(path => map.named(baseName(path))));
};

/** The name in a path: of a file that is called after its kind, the folder's. */
const baseName = (path: string): string => {
  const segments = path.split('/');
  const file = segments.at(-1)?.replace(/\.md$/, '') ?? '';
  return /^[A-Z]+$/.test(file) && segments.length > 1 ? (segments.at(-2) ?? file) : file;
};

const only = (paths: readonly string[]): string | null => (paths.length === 1 ? (paths[0] ?? null) : null);
const unique = (paths: readonly string[]): readonly string[] => [...new Set(paths)];

const quoted = (paths: readonly string[]): string => {
  const shown = paths.slice(0, 5).map(path => `'${path}'`);
  return shown.join(', ') + (paths.length > shown.length ? ` and ${paths.length - shown.length} more` : '');
};
