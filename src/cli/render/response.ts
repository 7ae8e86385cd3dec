import { SilentExit } from '../cli-error.ts';
import { exitCodes } from '../exit-code.ts';
import type { CallResult } from '../invoke.ts';
import type { Printer } from '../output/printer.ts';
import { visibleLine } from '../output/terminal-text.ts';
import { complainAbout } from './complaint.ts';

const doneWords = { operation: 'wrote', patch: 'patched', event: 'recorded', delete: 'removed' } as const;
const rehearsedWords = { operation: 'would write', patch: 'would patch', event: 'would record', delete: 'would remove' } as const;

/** Prints the one response of a writing command: the contract's JSON with `--json`, a line for people otherwise; a refusal ends with its status. */
export const printResponse = async (response: CallResult<'envelope.submit'>, printer: Printer): Promise<void> => {
  await printer.value(response);
  if (!response.success) {
    complainAbout(printer, response.error.code, response.error.message, response.repair.field_errors, response.path);
    for (const text of response.validation.warnings) warn(printer, text);
    throw new SilentExit(exitCodes[response.error.code]);
  }
  const { good, dim, warn: yellow } = printer.palette;
  const verb = response.dry_run ? rehearsedWords[response.type] : doneWords[response.type];
  const remark = response.unchanged ? 'unchanged' : response.replay ? 'replayed: this key had done it before' : response.event_id;
  const said = response.unchanged && !response.dry_run ? yellow('kept') : good(verb);
  await printer.line(
    [said, visibleLine(response.path), dim(response.validation.type ?? ''), remark === undefined ? '' : dim(remark)]
      .filter(Boolean)
      .join('  '),
  );
  for (const text of response.validation.warnings) warn(printer, text);
};

const warn = (printer: Printer, text: string): void => printer.note(`${printer.errorPalette.warn('warning:')} ${visibleLine(text)}`);
