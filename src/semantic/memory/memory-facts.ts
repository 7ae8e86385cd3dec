import { canonicalJson, hashContent, type ParsedFile, type Value, withFewMarks } from '#document';
import { effectivePortability, type PortabilityClass, type Registry } from '#registry';
import { searchTokens } from '../tokens/search-tokens.ts';

/** A memory as the comparison of memories sees it. */
export interface MemoryFacts {
  readonly path: string;
  readonly hash: string;
  readonly slug: string;
  readonly status: string;
  readonly title: string;
  readonly description: string;
  readonly timestamp: string;
  readonly portability: PortabilityClass;
  /** The statement of a `schema_version: 2` memory; null where it makes none that can be compared. */
  readonly statement: Statement | null;
  /** Search tokens of title and description. */
  readonly tokens: ReadonlySet<string>;
  /** `sha256:<hex>` of what it says; status, feedback and time do not count. */
  readonly meaning: string;
}

/** Subject, predicate and object without case, width and separators (§5.4, §11.2). */
export interface Statement {
  readonly subject: string;
  readonly predicate: string;
  readonly object: string;
  /** 1 asks for it, −1 forbids it, 0 states or prefers it. */
  readonly stance: 1 | 0 | -1;
}

/** A memory in one of these is out of force and contradicts nobody (readings: memory conflicts). */
const outOfForce = new Set(['superseded', 'archived', 'rejected', 'deprecated', 'retired', 'obsolete']);

/** The facts of a memory that is in force or proposed; null for anything else. */
export const memoryFacts = (path: string, hash: string, parsed: ParsedFile, registry: Registry): MemoryFacts | null => {
  const data = parsed.kind === 'document' ? parsed.document.data : null;
  const definition = typeof data?.type === 'string' ? registry.resolve(data.type) : null;
  if (parsed.kind !== 'document' || data === null || definition?.qualified !== 'ssss:memory') return null;
  const [slug, status, title, description] = [textOf(data.slug), textOf(data.status), textOf(data.title), textOf(data.description)];
  if (slug === '' || outOfForce.has(status)) return null;
  const { subject, predicate, object, modality, sentiment_polarity: polarity } = data;
  const said = [title, description, subject, predicate, object, modality, polarity, parsed.document.body].map(member => member ?? null);
  return {
    path,
    hash,
    slug,
    status,
    title,
    description,
    timestamp: textOf(data.timestamp),
    portability: effectivePortability(definition, data),
    statement: data.schema_version === 2 ? statementOf(subject, predicate, object, modality ?? null, polarity ?? null) : null,
    tokens: new Set(searchTokens([title, description])),
    meaning: hashContent(canonicalJson(said)),
  };
};

const textOf = (value: Value | undefined): string => (typeof value === 'string' ? value.trim() : '');

const statementOf = (
  subject: Value | undefined,
  predicate: Value | undefined,
  object: Value | undefined,
  modality: Value,
  polarity: Value,
): Statement | null => {
  const [s, p, o] = [subject, predicate, object].map(concept);
  if (!s || !p || !o) return null;
  return { subject: s, predicate: p, object: o, stance: stanceOf(modality) ?? stanceOf(polarity) ?? 0 };
};

/** Identifiers of concepts are compared, not prose: `File System`, `file-system` and `file_system` are one. */
const concept = (value: Value | undefined): string =>
  typeof value === 'string' || typeof value === 'number'
    ? withFewMarks(String(value))
        .normalize('NFKC')
        .toLowerCase()
        .replace(/[\s_-]+/gu, '_')
        .replace(/^_|_$/g, '')
    : '';

const stances: Readonly<Record<string, Statement['stance']>> = {
  must: 1,
  should: 1,
  directive_must: 1,
  must_not: -1,
  should_not: -1,
  directive_must_not: -1,
};

const stanceOf = (code: Value): Statement['stance'] | null =>
  typeof code === 'string' && Object.hasOwn(stances, code) ? (stances[code] ?? null) : null;
