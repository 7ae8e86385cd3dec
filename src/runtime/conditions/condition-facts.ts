/** How many documents of a type there are. */
export interface TypeCounts {
  readonly total: number;
  /** By the value of `status`, where a document has one. */
  readonly byStatus: Readonly<Record<string, number>>;
}

/** All that a condition can see (readings: conditions of triggers): the minute, and counts; never text of a document. */
export interface ConditionFacts {
  /** The UTC minute that is evaluated, milliseconds since 1970. */
  readonly now: number;
  /** By qualified type. */
  readonly counts: Readonly<Record<string, TypeCounts>>;
}
