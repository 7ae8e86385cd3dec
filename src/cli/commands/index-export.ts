import type { Command } from 'commander';
import { exportBaseline } from '#open-vault';
import { UsageError } from '../cli-error.ts';
import { withExamples } from '../command-help.ts';
import type { Bind } from '../runner.ts';
import { findVaultRoot } from '../vault-session.ts';

/** `index export`: the semantic records of a vault as plain text (§11.9). */
export const addExportCommand = (index: Command, bind: Bind): void => {
  const command = index
    .command('export')
    .summary('print the semantic records as JSON Lines')
    .description(
      'Prints one record of JSON per document, sorted by path: identity, hash, type, class, language, text, search tokens and edges. ' +
        'Equal vaults give equal bytes. Reads plain files only, so it works where the native modules do not.',
    )
    .option('--private', 'private documents and edges to them, too')
    .action(
      bind(async ({ printer, globals, signal }, options: { readonly private?: boolean }) => {
        if (globals.as !== undefined || globals.principal !== undefined) {
          throw new UsageError('index export reads the files as the person at this machine; --as and --principal have no say in that');
        }
        const lines = exportBaseline({ root: findVaultRoot(globals), private: options.private === true });
        for await (const line of lines) {
          if (signal.aborted) return;
          await printer.raw(line);
        }
      }),
    );
  withExamples(command, ['sheaf index export > records.jsonl', 'sheaf index export --private --vault my-vault']);
};
