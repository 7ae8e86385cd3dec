import type { CallResult } from '../invoke.ts';
import type { Printer } from '../output/printer.ts';
import { visibleLine } from '../output/terminal-text.ts';

type Diff = Pick<CallResult<'history.diff'>, 'diff' | 'from' | 'to'>;

/** A unified difference for people: added lines and removed ones in colour, control characters spelled out; or why there is none. */
export const printDiff = async (printer: Printer, { diff, from, to }: Diff): Promise<void> => {
  if (diff === '') printer.note('no difference');
  else if (diff === null) printer.note(`no difference can be shown: ${visibleLine([from.missing, to.missing].filter(Boolean).join('; '))}`);
  // A pipe gets what `git apply` and `patch` can read.
  else if (printer.width === null && !printer.json) await printer.raw(diff);
  else for (const line of diff.replace(/\n$/, '').split('\n')) await printer.line(colour(printer, line)(visibleLine(line)));
};

const colour = ({ palette }: Printer, line: string): ((text: string) => string) => {
  if (line.startsWith('+++') || line.startsWith('---')) return palette.strong;
  if (line.startsWith('@@')) return palette.dim;
  if (line.startsWith('+')) return palette.good;
  return line.startsWith('-') ? palette.bad : String;
};
