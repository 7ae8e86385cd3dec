import type { FrontmatterMap, Value } from '#document';
import type { LanguageConvention } from './language-convention.ts';

/** A field as it is stored and as a person reads it. */
export interface PresentedField {
  readonly field: string;
  readonly value: string | number;
  readonly text: string;
}

/** The dates, sums and decimals of a document in the form of its readers (§11.7). What is stored is not touched; whole numbers may be codes and stay. */
export const presentFields = (data: FrontmatterMap, convention: LanguageConvention): readonly PresentedField[] =>
  Object.entries(data).flatMap(([field, value]) => {
    const text = presented(field, value, convention);
    return text === null ? [] : [{ field, value: value as string | number, text }];
  });

const presented = (field: string, value: Value, convention: LanguageConvention): string | null => {
  if (typeof value === 'string') return presentedDate(value, convention);
  if (typeof value !== 'number' || !Number.isFinite(value)) return null;
  const { locale, currencies, currencyDisplay } = convention;
  const currency = currencies.find(code => field.endsWith(`_${code.toLowerCase()}`));
  if (currency !== undefined) return new Intl.NumberFormat(locale, { style: 'currency', currency, currencyDisplay }).format(value);
  return Number.isInteger(value) ? null : new Intl.NumberFormat(locale, { maximumFractionDigits: 20 }).format(value);
};

const day = /^\d{4}-\d{2}-\d{2}$/;
const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/;

const presentedDate = (value: string, { locale, dateStyle, timeZone }: LanguageConvention): string | null => {
  if (!day.test(value) && !instant.test(value)) return null;
  const time = new Date(value);
  // February has no thirtieth day; `Date` would make it March.
  if (Number.isNaN(time.getTime()) || (day.test(value) && !time.toISOString().startsWith(value))) return null;
  // A day is a day in every zone.
  const style = day.test(value) ? { dateStyle, timeZone: 'UTC' } : { dateStyle, timeStyle: 'short' as const, timeZone };
  return new Intl.DateTimeFormat(locale, style).format(time);
};
