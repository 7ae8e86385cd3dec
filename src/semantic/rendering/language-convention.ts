import type Database from 'better-sqlite3';
import type { RenderConvention } from '#adapter-contracts';
import { type FrontmatterMap, isMap, type Value } from '#document';
import { VaultError } from '#errors';
import type { Registry } from '#registry';

/** A `language_convention` document as the overlay uses it (§11.7). */
export interface LanguageConvention extends RenderConvention {
  /** Where it stands; null for what a language has without one. */
  readonly path: string | null;
  readonly dateStyle: 'full' | 'long' | 'medium' | 'short';
  readonly timeZone: string;
  /** Codes: fields that end in `_` and one of them, in small letters, hold money. */
  readonly currencies: readonly string[];
  readonly currencyDisplay: 'symbol' | 'code' | 'name';
}

/** Where the conventions of a vault stand, by path: documents of any extension's type `language_convention`. Level the projections first. */
export const conventionPaths = (db: Database.Database, registry: Registry): readonly { readonly path: string; readonly type: string }[] => {
  const types = registry.documentTypes.map(({ qualified }) => qualified).filter(qualified => qualified.endsWith(':language_convention'));
  return db
    .prepare<[string], { path: string; type: string }>(
      'SELECT path, type FROM graph_nodes WHERE type IN (SELECT value FROM json_each(?)) ORDER BY path',
    )
    .all(JSON.stringify(types));
};

/** Whether a convention may be meant for a language, before its values are read: one that cannot be used spoils no other language. */
export const concernsLanguage = (data: FrontmatterMap, language: string): boolean =>
  [data.language, data.format_locale].some(tag => sameLanguage(text(tag) ?? '', language));

/** Reads a convention. Throws `validation_failed`, naming the place, when its values cannot be used for formatting. */
export const readConvention = (path: string, data: FrontmatterMap): LanguageConvention => {
  const language = text(data.language) ?? '';
  const convention: LanguageConvention = {
    path,
    language: canonicalLocale(path, 'language', language),
    locale: canonicalLocale(path, 'format_locale', text(data.format_locale) ?? language),
    formality: oneOf(data.formality, ['formal', 'informal', 'neutral'], 'neutral'),
    dateStyle: oneOf(data.date_style, ['full', 'long', 'medium', 'short'], 'medium'),
    timeZone: text(data.time_zone) ?? 'UTC',
    currencies: list(data.currencies).flatMap(code => text(code) ?? []),
    currencyDisplay: oneOf(data.currency_display, ['symbol', 'code', 'name'], 'symbol'),
    terminology: list(data.terminology).flatMap(readTerm),
  };
  attempt(path, 'time_zone', () => new Intl.DateTimeFormat('en', { timeZone: convention.timeZone }));
  for (const currency of convention.currencies)
    attempt(path, 'currencies', () => new Intl.NumberFormat('en', { style: 'currency', currency }));
  return convention;
};

/** The convention for a language: the one that names it most exactly, the first by path among equals. */
export const chooseConvention = (conventions: readonly LanguageConvention[], language: string): LanguageConvention | null =>
  conventions.find(one => one.locale === language) ??
  conventions.find(one => one.language === language) ??
  conventions.find(one => sameLanguage(one.language, language)) ??
  null;

/** What a language has without a convention: its own way of writing dates and numbers. */
export const plainConvention = (language: string): LanguageConvention => ({
  path: null,
  language,
  locale: language,
  formality: 'neutral',
  dateStyle: 'medium',
  timeZone: 'UTC',
  currencies: [],
  currencyDisplay: 'symbol',
  terminology: [],
});

/** Whether two tags name one language, whatever their script and region. */
export const sameLanguage = (one: string, another: string): boolean => primary(one) === primary(another);

const primary = (tag: string): string => tag.split('-')[0]?.toLowerCase() ?? '';

/** A language tag as it is written officially. Throws `invalid_request` for what is none. */
export const requireLanguage = (language: string): string => {
  try {
    const [canonical] = Intl.getCanonicalLocales(language);
    if (canonical !== undefined) return canonical;
  } catch {
    // Told below.
  }
  const issue = `'${language}' is no language tag, such as de or pt-BR.`;
  throw new VaultError('invalid_request', { issues: [{ field: 'language', issue }] }, issue);
};

const readTerm = (value: Value): RenderConvention['terminology'] => {
  if (!isMap(value)) return [];
  const write = text(value.write);
  const given = value.instead_of ?? null;
  const replaced = (Array.isArray(given) ? given : [given]).flatMap(word => text(word) ?? []);
  return write === null || replaced.length === 0 ? [] : [{ write, instead_of: replaced }];
};

const canonicalLocale = (path: string, field: string, tag: string): string =>
  attempt(path, field, () => Intl.getCanonicalLocales(tag)[0] ?? tag);

const attempt = <T>(path: string, field: string, make: () => T): T => {
  try {
    return make();
  } catch (error) {
    const issue = `cannot be used: ${(error as Error).message}`;
    throw new VaultError('validation_failed', { issues: [{ field, issue }] }, `The convention '${path}': ${field} ${issue}.`);
  }
};

const text = (value: Value | undefined): string | null => (typeof value === 'string' && value.trim() !== '' ? value.trim() : null);
const list = (value: Value | undefined): readonly Value[] => (Array.isArray(value) ? value : []);
const oneOf = <T extends string>(value: Value | undefined, known: readonly T[], other: T): T => known.find(one => one === value) ?? other;
