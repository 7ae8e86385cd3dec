import { canonicalJson } from '#document';
import { type ScanSource, scanFile, scanVault } from '#projections';
import type { PortabilityClass, Registry } from '#registry';
import type { SemanticEdge, SemanticRecord } from '../semantic-record.ts';
import { searchTokens } from '../tokens/search-tokens.ts';
import { type DocumentFacts, documentFacts, type ReadFile } from './document-facts.ts';
import { rawLinks } from './raw-links.ts';
import { createRecordLookup, type RecordLookup, resolveEdge } from './record-lookup.ts';

/** What a record needs to know of the documents around it. */
interface RecordSurroundings extends RecordLookup {
  /** The class of a document, or null when there is none at the path. */
  portabilityOf(path: string): PortabilityClass | null;
}

/**
 * One document as the semantic layer sees it (§11.9), from its bytes, the registry and what its links lead to; null for Markdown that is no document of
 * a known type. With `private` false, edges to documents that are not `structural` are left out.
 */
const semanticRecord = (
  file: ReadFile,
  registry: Registry,
  surroundings: RecordSurroundings,
  options: { readonly private: boolean },
): SemanticRecord | null => {
  const facts = documentFacts(file, registry);
  if (facts.type === null || facts.type === 'ssss:index') return null;
  const edges = rawLinks(file.parsed).flatMap((link): readonly SemanticEdge[] => {
    const resolution = resolveEdge(link, file.path, surroundings);
    const path = resolution.kind === 'resolved' ? resolution.path : null;
    const hidden = path !== null && !options.private && surroundings.portabilityOf(path) !== 'structural';
    return hidden ? [] : [{ ...link, path }];
  });
  return {
    identity: facts.identity,
    path: facts.path,
    content_hash: facts.hash,
    primitive_type: facts.type,
    portability: facts.portability,
    language: facts.language,
    title: facts.title,
    text: recordText(facts),
    tokens: searchTokens(searchedTexts(facts)),
    edges,
  };
};

/** What a person reads of a document: title, description, aliases, tags and body, one below the other. */
export const recordText = ({ title, description, aliases, tags, body }: DocumentFacts): string =>
  [title, description, ...aliases, tags.join(' '), body].filter(part => part !== '').join('\n');

const searchedTexts = (facts: DocumentFacts): readonly string[] => [
  recordText(facts),
  ...[facts.slug, facts.semanticId, facts.resource].filter(id => id !== null),
  facts.path,
];

/** A vault's files, read twice: once to know what links may lead to, once to make the records. */
export interface RecordSource {
  files(): AsyncIterable<ReadFile>;
  file(path: string): Promise<ReadFile | null>;
}

/** The Markdown of a vault; what cannot be read as such has no record. */
export const recordSource = (source: ScanSource): RecordSource => ({
  async *files() {
    for await (const file of scanVault(source)) if (file.kind === 'markdown') yield file;
  },
  async file(path) {
    const file = await scanFile(source, { path, kind: 'file' });
    return file.kind === 'markdown' ? file : null;
  },
});

/**
 * The baseline projection (§11.9): one line of canonical JSON per document, sorted by path; equal vaults give equal bytes whatever order their files
 * are found in. Holds `structural` documents only, unless `private`.
 */
export async function* baselineProjection(
  source: RecordSource,
  registry: Registry,
  options: { readonly private: boolean },
): AsyncIterable<string> {
  const known: Pick<DocumentFacts, 'path' | 'handle' | 'slug' | 'aliases' | 'title' | 'semanticId' | 'portability'>[] = [];
  for await (const file of source.files()) {
    const { path, handle, slug, aliases, title, semanticId, portability } = documentFacts(file, registry);
    known.push({ path, handle, slug, aliases, title, semanticId, portability });
  }
  const classes = new Map(known.map(({ path, portability }) => [path, portability]));
  const surroundings = { ...createRecordLookup(known), portabilityOf: (path: string) => classes.get(path) ?? null };
  for (const path of [...classes.keys()].sort()) {
    if (!options.private && classes.get(path) !== 'structural') continue;
    const file = await source.file(path);
    const record = file === null ? null : semanticRecord(file, registry, surroundings, options);
    if (record !== null && (options.private || record.portability === 'structural')) yield `${canonicalJson(record)}\n`;
  }
}
