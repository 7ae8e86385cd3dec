import { createLinkMap, type LinkedDocument, type LinkFinding, type LinkMap, type PlacedLink } from '#semantic';
import type { DocumentLinks, LinkProblem, LinkReader, LinkRow } from './vault-links.ts';

/** The documents that a reader sees; for whoever sees not all, hidden ones are as absent ones (§11.9). */
export const visibleDocuments = (documents: readonly LinkedDocument[], reader: LinkReader, always?: string): readonly LinkedDocument[] =>
  documents.filter(({ path, type, portability }) => {
    if (reader.mayRead !== undefined && !reader.mayRead(type)) return false;
    return reader.private !== false || path === always || (portability ?? 'structural') === 'structural';
  });

/** The links of one document in both directions. */
export const documentLinks = (document: LinkedDocument, documents: readonly LinkedDocument[]): DocumentLinks => {
  const map = createLinkMap(documents);
  const outgoing: DocumentLinks['outgoing'][number][] = [];
  const unresolved: DocumentLinks['unresolved'][number][] = [];
  for (const { row, path, candidates } of followed(document, map)) {
    if (path !== null) outgoing.push({ ...row, path });
    else if (row.kind !== 'field' || candidates !== null) unresolved.push({ ...row, candidates: candidates ?? [] });
  }
  const backlinks = documents
    .filter(each => each.path !== document.path)
    .flatMap(each => followed(each, map).flatMap(({ row, path }) => (path === document.path ? [{ ...row, path: each.path }] : [])));
  return { path: document.path, outgoing, backlinks, unresolved };
};

interface Followed {
  readonly row: LinkRow;
  readonly path: string | null;
  /** Null for a text in somebody's own field that may be no path at all. */
  readonly candidates: readonly string[] | null;
}

const followed = (document: LinkedDocument, map: LinkMap): readonly Followed[] => [
  ...document.fields.map(({ field, path, line, declared }): Followed => {
    const row = { line, column: 1, kind: 'field', target: path, anchor: null, label: null, field } as const;
    return { row, path: map.exists(path) ? path : null, candidates: declared ? [] : null };
  }),
  ...document.links.map((link): Followed => {
    const leads = map.resolve(link, document.path);
    const candidates = leads.kind === 'ambiguous' ? leads.candidates : [];
    return { row: linkRow(link), path: leads.kind === 'resolved' ? leads.path : null, candidates };
  }),
];

const linkRow = ({ line, column, kind, target, anchor, label }: PlacedLink): LinkRow => ({
  line,
  column,
  kind,
  target,
  anchor,
  label,
  field: null,
});

/** A finding without what only the repair needs. */
export const linkProblem = ({ link: _link, candidates: _candidates, ...problem }: LinkFinding): LinkProblem => problem;
