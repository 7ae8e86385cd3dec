import { isIndexPath } from '#document';
import { VaultError } from '#errors';
import type { Registry } from '#registry';
import type { SearchScope } from '#semantic';
import type { SearchOptions } from './vault-search.ts';

/** The filters of a question as the index takes them. Throws `invalid_request` for a type that the vault does not have and for a time that is none. */
export const searchScopeOf = (options: SearchOptions, registry: Registry): Omit<SearchScope, 'readable'> => ({
  private: options.private === true,
  types: options.types === undefined || options.types.length === 0 ? undefined : options.types.map(name => qualifiedType(name, registry)),
  tags: options.tags,
  status: options.status,
  language: options.language,
  since: instant('since', options.since),
  until: instant('until', options.until),
  prefix: options.prefix?.replace(/^\/+/, ''),
});

const qualifiedType = (name: string, registry: Registry): string => {
  if (name === 'ssss:index' || isIndexPath(`${name}.md`)) return 'ssss:index';
  const qualified = registry.resolve(name)?.qualified;
  if (qualified !== undefined) return qualified;
  throw invalid('type', `Unknown type '${name}'; \`sheaf registry show\` lists the types of this vault.`);
};

const instant = (field: string, text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  const time = /^\d{4}-\d{2}(?:-\d{2}|$)/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  throw invalid(field, `'${text}' is not a time: give an ISO 8601 date or instant, such as 2026-05-16 or 2026-05-16T14:00:00Z.`);
};

const invalid = (field: string, issue: string): VaultError<'invalid_request'> =>
  new VaultError('invalid_request', { issues: [{ field, issue }] }, `${field}: ${issue}`);
