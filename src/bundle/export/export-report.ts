import type { PortabilityClass } from '#registry';

/** A document that goes into the bundle. */
export interface Leaving {
  readonly path: string;
  readonly type: string;
  readonly portability: PortabilityClass;
  /** `verbatim`, or `reduced` to what it needs: these fields say `REQUIREMENT` instead of a value. */
  readonly how: 'verbatim' | 'reduced';
  readonly stripped: readonly string[];
}

/** A file that does not, and why. */
export interface Staying {
  readonly path: string;
  readonly reason: string;
}

/**
 * Something that a person has to look at before the bundle leaves. `finding` is stable, so that it can be acknowledged: `<kind>:<path>:<16 hex digits>`, made
 * from what was found, never holding it.
 */
export interface ExportFinding {
  readonly finding: string;
  readonly kind: 'secret' | 'personal' | 'bound_value' | 'lost_link' | 'ignored_override';
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly reason: string;
  readonly acknowledged: boolean;
}

/** What leaves, what stays, what is stripped and why. */
export interface ExportReport {
  readonly leaving: readonly Leaving[];
  readonly staying: readonly Staying[];
  readonly findings: readonly ExportFinding[];
}

/** Why there is no bundle. */
export class ExportRefusedError extends Error {
  override readonly name = 'ExportRefusedError';
  readonly problems: readonly { readonly path: string; readonly line?: number; readonly issue: string }[];
  readonly report: ExportReport;

  constructor(problems: ExportRefusedError['problems'], report: ExportReport) {
    const [first] = problems;
    const more = problems.length > 1 ? `, and ${problems.length - 1} more` : '';
    super(`The export is refused: ${first === undefined ? 'no reason' : `${first.path}: ${first.issue}`}${more}`);
    this.problems = problems;
    this.report = report;
  }
}
