import { type FrontmatterMap, isIndexPath, isMap, type ParsedFile, type Value } from '#document';
import { type Definition, effectivePortability, type PortabilityClass, type Registry } from '#registry';
import { surfaceText } from './surface-text.ts';

/** A Markdown file that was read. */
export interface ReadFile {
  readonly path: string;
  readonly hash: string;
  readonly parsed: ParsedFile;
}

/** What meaning is made of: one file's own words and marks, without its links. */
export interface DocumentFacts {
  readonly path: string;
  readonly hash: string;
  /** `semantic_id`, else `resource`, else the path (§11.9). */
  readonly identity: string;
  /** Qualified; `ssss:index` for pages of links; null for Markdown of no known type. */
  readonly type: string | null;
  /** What is no document of a known type counts as private, because nothing says that it may travel (§5.5). */
  readonly portability: PortabilityClass;
  readonly language: string | null;
  readonly status: string | null;
  /** The file's name when it declares none. */
  readonly title: string;
  readonly description: string;
  readonly aliases: readonly string[];
  readonly tags: readonly string[];
  readonly slug: string | null;
  /** What the place calls it: the file's name, or its folder's where the type fixes the file's name (§4.4). */
  readonly handle: string;
  readonly semanticId: string | null;
  readonly resource: string | null;
  /** Milliseconds; null when the document has no time that can be read. */
  readonly timestamp: number | null;
  /** −1 to 1: what the `feedback` block says for or against it, less where few spoke (§11.5). */
  readonly approval: number;
  /** The body as a person reads it. */
  readonly body: string;
}

/** Reads one file's facts: pure, from its bytes and the registry alone. */
export const documentFacts = ({ path, hash, parsed }: ReadFile, registry: Registry): DocumentFacts => {
  const data: FrontmatterMap = parsed.kind === 'document' ? parsed.document.data : {};
  const body = parsed.kind === 'document' ? parsed.document.body : parsed.text;
  const type = text(data.type);
  const definition = type === null || isIndexPath(path) ? null : registry.resolve(type);
  const semanticId = text(data.semantic_id);
  const resource = text(data.resource);
  return {
    path,
    hash,
    identity: semanticId ?? resource ?? path,
    type: isIndexPath(path) ? 'ssss:index' : (definition?.qualified ?? null),
    portability: definition === null ? 'tenant_private' : effectivePortability(definition, data),
    language: text(data.language) ?? text(data.locale),
    status: text(data.status),
    title: text(data.title) ?? fileName(path),
    description: text(data.description) ?? '',
    aliases: texts(data.aliases),
    tags: texts(data.tags),
    slug: text(data.slug),
    handle: handleOf(path, definition),
    semanticId,
    resource,
    timestamp: instant(data.timestamp),
    approval: approvalOf(data.feedback),
    body: isPayload(definition, data) ? '' : surfaceText(body),
  };
};

/** `tone` for `rules/tone.md`, `true-a-wheel` for `skills/true-a-wheel/SKILL.md` (§4.4). */
export const handleOf = (path: string, definition: Definition | null): string => {
  const [file = '', folder] = path.split('/').reverse();
  return definition?.canonical_filename === file && folder !== undefined ? folder : fileName(path);
};

/** Whether the body is a file in an encoding for machines, which nobody reads (§5.4 `asset`). */
const isPayload = (definition: Definition | null, data: FrontmatterMap): boolean =>
  definition?.qualified === 'ssss:asset' && data.encoding === 'base64';

/** The last segment of a path without `.md`. */
const fileName = (path: string): string => path.slice(path.lastIndexOf('/') + 1).replace(/\.md$/, '');

const text = (value: Value | undefined): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value.trim().toWellFormed() : null;

/** A list of texts, or a single one where a person forgot the brackets. */
const texts = (value: Value | undefined): readonly string[] => {
  const elements = Array.isArray(value) ? (value as readonly Value[]) : [value];
  return elements.map(element => text(typeof element === 'number' ? String(element) : element)).filter(element => element !== null);
};

const instant = (value: Value | undefined): number | null => {
  const time = typeof value === 'string' && /^\d{4}-\d{2}/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? null : time;
};

const approvalOf = (feedback: Value | undefined): number => {
  if (!isMap(feedback ?? null)) return 0;
  const { score, samples } = feedback as FrontmatterMap;
  if (typeof score !== 'number' || typeof samples !== 'number' || !(score >= 0 && score <= 1) || !(samples > 0)) return 0;
  return (2 * score - 1) * Math.min(1, samples / 10);
};
