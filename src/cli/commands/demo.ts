import { existsSync, readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { initVault } from '#open-vault';
import { CliError } from '../cli-error.ts';
import type { CommandContext } from '../command-context.ts';
import { withExamples } from '../command-help.ts';
import { visibleLine } from '../output/terminal-text.ts';
import { eventRow, eventSubjectColumn } from '../render/event-lines.ts';
import type { Bind } from '../runner.ts';
import { fillWithSample } from '../sample/fill-with-sample.ts';

/** `sheaf demo`: a sample vault and its history on the screen. */
export const addDemoCommand = (program: Command, bind: Bind): void => {
  const command = program
    .command('demo')
    .summary('make a sample vault and show its history')
    .description(
      'Makes a small business in ./demo-vault through the Operation Contract and prints its history. Run again, it shows the one that is there.',
    )
    .action(bind(context => runDemo(context)));
  withExamples(command, ['sheaf demo']);
};

const runDemo = async (context: CommandContext): Promise<void> => {
  const { printer } = context;
  const root = resolve('demo-vault');
  const present = existsSync(join(root, '.ssss', 'workspace.json'));
  if (!present) await makeDemo(root, context);
  const vault = await context.openAt(root);
  const events = [];
  for await (const { event } of vault.events()) events.push(event);
  for (const event of events) await printer.value(event);
  const now = new Date();
  if (!printer.json)
    await printer.table(
      events.map(event => eventRow(event, now, printer.palette)),
      eventSubjectColumn,
    );
  const actors = new Set(events.map(event => event.principal.id));
  printer.note('');
  printer.note(
    `${present ? 'This vault was made before' : 'Made a vault'}: ${visibleLine(root)}: ${events.length} events by ${actors.size} principals. Try next:`,
  );
  for (const [command, why] of suggestions())
    printer.note(`  ${printer.errorPalette.strong(command.padEnd(40))} ${printer.errorPalette.dim(why)}`);
};

const makeDemo = async (root: string, context: CommandContext): Promise<void> => {
  if (existsSync(root) && readdirSync(root).length > 0) {
    throw new CliError('in_the_way', `'${root}' holds files but no vault: move it away, or run the demo in another directory`);
  }
  context.printer.note('writing a bicycle workshop into ./demo-vault, one envelope at a time');
  await initVault({ root });
  await fillWithSample(root, context);
};

const suggestions = (): readonly (readonly [string, string])[] => {
  const script = process.argv[1] ?? 'sheaf';
  // Started from a checkout, `sheaf` is not on the path yet.
  const alias: readonly (readonly [string, string])[] =
    basename(script) === 'sheaf' ? [] : [[`alias sheaf="node ${script}"`, 'if sheaf is not installed']];
  return [
    ...alias,
    ['cd demo-vault', 'every command finds the vault you are in'],
    ['sheaf ls --type memory', 'what the shop knows, in six languages'],
    ['sheaf trace tanaka-rental', 'one message, and what it caused'],
    ['sheaf patch tasks/office/renew-shop-insurance.md status=done', 'one line changes; see git diff or sheaf log'],
    ['sheaf check', 'every document against its type'],
    ['sheaf help', 'all commands, examples first'],
  ];
};
