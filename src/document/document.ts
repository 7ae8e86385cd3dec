import type { FieldIssue } from '#errors';
import type { FrontmatterMap, Value } from './value.ts';

/** A file read by the one parser every code path uses (§4.1). */
export type ParsedFile =
  | { readonly kind: 'document'; readonly document: Document }
  /** No frontmatter block: ordinary Markdown, out of scope but no error. */
  | { readonly kind: 'ordinary'; readonly text: string; readonly reason: string }
  /** A frontmatter block that cannot be read. */
  | {
      readonly kind: 'invalid';
      readonly text: string;
      readonly issues: readonly FieldIssue[];
      /** The entries that could be read, for showing and repairing the file only: never decide a right by them. */
      readonly readable: FrontmatterMap;
    };

/** A document: its exact text, what its frontmatter says, and where each part stands. */
export interface Document {
  readonly text: string;
  readonly data: FrontmatterMap;
  readonly body: string;
  /** 1-based line on which the body starts. */
  readonly bodyLine: number;
  /** The opening fence's line ending; what is added to the file uses it. */
  readonly lineEnding: '\n' | '\r\n';
  /** Forms that are read but that other tools may misread. */
  readonly warnings: readonly FieldIssue[];
  readonly layout: DocumentLayout;
  /** 1-based line of a top-level key. */
  lineOf(key: string): number | undefined;
}

/** Offsets that let a patch leave every other byte alone (readings: writing frontmatter). */
export interface DocumentLayout {
  /** Top-level entries in file order. */
  readonly entries: readonly EntrySpan[];
  /** Column of the top-level keys. */
  readonly indent: number;
  /** Where the closing fence starts. */
  readonly fenceStart: number;
  readonly bodyStart: number;
}

export interface EntrySpan {
  readonly key: string;
  readonly value: Value;
  /** Start of the key's line. */
  readonly start: number;
  /** After the last line of the value. */
  readonly end: number;
  /** Where the first trailing comment starts with the white space before it, or -1. */
  readonly commentAt: number;
}
