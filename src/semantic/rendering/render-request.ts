import type { InvariantControl, RenderRequest } from '#adapter-contracts';
import { emptyMap, fixedParts, hasKey, type ParsedFile, parseRecords, type Value } from '#document';
import type { LanguageConvention } from './language-convention.ts';

/** A document that is to be shown. */
export interface RenderSource {
  readonly path: string;
  readonly hash: string;
  /** Qualified, or null. */
  readonly type: string | null;
  readonly parsed: ParsedFile;
}

/** What rendering may change. */
const rendered = ['title', 'description'] as const;

const bodyOf = (parsed: ParsedFile): string => (parsed.kind === 'document' ? parsed.document.body : parsed.text);

/** The request to a renderer: the words, and everything else as the control block (§11.9). */
export const renderRequest = (source: RenderSource, language: string, convention: LanguageConvention | null): RenderRequest => {
  const { parsed } = source;
  const data = parsed.kind === 'document' ? parsed.document.data : emptyMap();
  const textOf = (key: string): string | null => (hasKey(data, key) && typeof data[key] === 'string' ? data[key] : null);
  return {
    language,
    source_language: textOf('language') ?? textOf('locale'),
    text: { title: textOf('title'), description: textOf('description'), body: bodyOf(parsed) },
    convention: convention === null ? null : conventionFor(convention),
    control: controlBlock(source),
  };
};

const conventionFor = ({ language, locale, formality, terminology }: LanguageConvention): RenderRequest['convention'] => ({
  language,
  locale,
  formality,
  terminology,
});

/** Everything that has to be the same after rendering. */
export const controlBlock = ({ path, hash, type, parsed }: RenderSource): InvariantControl => {
  const fields = emptyMap();
  const data = parsed.kind === 'document' ? parsed.document.data : emptyMap();
  for (const [key, value] of Object.entries(data)) if (!isRendered(key, value)) fields[key] = value;
  const body = bodyOf(parsed);
  return { path, content_hash: hash, primitive_type: type, fields, ...fixedParts(body), records: recordHeadings(body) };
};

/** A title that is no text is left alone, too. */
const isRendered = (key: string, value: Value): boolean => (rendered as readonly string[]).includes(key) && typeof value === 'string';

/** Number, name, time and outcome of each record, which are control, not prose (§5.3). */
export const recordHeadings = (body: string): readonly string[] =>
  parseRecords(body).map(({ kind, number, name, timestamp, status }) => [kind, number, name, timestamp, status ?? ''].join(' — '));
