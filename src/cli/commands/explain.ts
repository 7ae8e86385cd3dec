import type { Command } from 'commander';
import { UsageError } from '../cli-error.ts';
import { withExamples } from '../command-help.ts';
import { explanations } from '../explain.ts';
import type { Bind } from '../runner.ts';

/** `sheaf explain`: what a code in brackets means and what to do. */
export const addExplainCommand = (program: Command, bind: Bind): void => {
  const command = program
    .command('explain')
    .summary('say what an error code means and what to do')
    .description('Says what an error code means and what to do about it; without a code, lists them all.')
    .argument('[CODE]', 'a code as printed in brackets')
    .action(
      bind(async ({ printer }, code: string | undefined) => {
        const known = code === undefined ? explanations : explanations.filter(one => one.code === code.replace(/^\[|\]$/g, ''));
        if (known.length === 0) throw new UsageError(`there is no code '${code}'; \`sheaf explain\` lists them`);
        for (const { code: name, meaning, remedy } of known) {
          await printer.value({ code: name, meaning, remedy });
          await printer.line(printer.palette.strong(name));
          await printer.line(`  ${meaning}`);
          if (remedy !== null) await printer.line(`  ${remedy}`);
        }
      }),
    );
  withExamples(command, ['sheaf explain version_conflict', 'sheaf explain']);
};
