/** A link from one document to another: `[[slug]]`, `[[path#heading|label]]`, `[label](path.md#heading)`, `[label]: path.md`. */
export interface Link {
  readonly kind: 'wiki' | 'markdown';
  /** The slug or path as meant: escapes and percent-encoding resolved, without the anchor. */
  readonly target: string;
  /** What stands after `#`, as written. */
  readonly anchor: string | null;
  /** The text shown for the link, as written. */
  readonly label: string | null;
  /** The whole link in the text. */
  readonly start: number;
  readonly end: number;
  /** The target as written. */
  readonly targetStart: number;
  readonly targetEnd: number;
  /** 1-based line of `start`. */
  readonly line: number;
}

/** A link before its line is known. */
export type LinkPlace = Omit<Link, 'line'>;
