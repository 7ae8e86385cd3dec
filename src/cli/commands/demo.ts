import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import type { CanonicalEvent } from '#api';
import { initVault } from '#open-vault';
import { CliError } from '../cli-error.ts';
import type { CommandContext } from '../command-context.ts';
import { withExamples } from '../command-help.ts';
import { tableLines } from '../output/table.ts';
import { visibleLine } from '../output/terminal-text.ts';
import { printEventTable } from '../render/event-lines.ts';
import type { Bind } from '../runner.ts';
import { fillWithSample, sampleKeyPrefix } from '../sample/fill-with-sample.ts';
import { trustOwnVault } from '../trust-own-vault.ts';
import { surroundingVault } from '../vault-session.ts';

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
  const root = demoRoot();
  const present = existsSync(join(root, '.ssss', 'workspace.json'));
  if (!present) await makeVault(root, context);
  // The sample's keys are derived from its content: filling again finishes what was interrupted and changes nothing else.
  const own = (await readLog(root, context))[0];
  if (own === undefined || own.idempotency_key.startsWith(sampleKeyPrefix)) await fillWithSample(root, context);
  const events = await readLog(root, context);
  for (const event of events) await printer.value(event);
  if (!printer.json) await printEventTable(printer, events);
  const actors = new Set(events.map(event => event.principal.id)).size;
  printer.note('');
  printer.note(
    `${present ? 'This vault was there before' : 'Made a vault'}: ${visibleLine(root)}: ${events.length} events by ${actors} principals. Try next:`,
  );
  const { strong, dim } = printer.errorPalette;
  const rows = suggestions(root).map(([command, why]) => [
    { text: `  ${command}`, style: strong },
    { text: why, style: dim },
  ]);
  for (const line of tableLines(rows, { width: null })) printer.note(line);
};

/** `./demo-vault`, or the demo vault one is in. */
const demoRoot = (): string => {
  const root = resolve('demo-vault');
  if (existsSync(root)) return root;
  const around = surroundingVault(dirname(root));
  if (around === null) return root;
  if (basename(around) === 'demo-vault') return around;
  throw new CliError('in_the_way', `'${around}' is a vault already: run the demo outside of it`);
};

const makeVault = async (root: string, context: CommandContext): Promise<void> => {
  const { printer } = context;
  if (existsSync(root) && readdirSync(root).length > 0) {
    throw new CliError('in_the_way', `'${root}' holds files but no vault: move it away, or run the demo in another directory`);
  }
  printer.note('writing a bicycle workshop into ./demo-vault, one envelope at a time');
  await initVault({ root });
  await trustOwnVault(root, context);
};

const readLog = async (root: string, context: CommandContext): Promise<readonly CanonicalEvent[]> => {
  const vault = await context.openAt(root);
  const events: CanonicalEvent[] = [];
  for await (const { event } of vault.events()) events.push(event);
  return events;
};

const suggestions = (root: string): readonly (readonly [string, string])[] => {
  const script = process.argv[1] ?? 'sheaf';
  // Started from a checkout, `sheaf` is not on the path yet.
  const alias: readonly (readonly [string, string])[] =
    basename(script) === 'sheaf' ? [] : [[`alias sheaf="node ${script}"`, 'if sheaf is not installed']];
  return [
    ...alias,
    [`cd ${relative('.', root) || '.'}`, 'every command finds the vault you are in'],
    ['sheaf ls --type memory', 'what the shop knows, in six languages'],
    ['sheaf search brakes handover', 'finds documents by their words, in any script'],
    ['sheaf trace tanaka-rental', 'one message, and what it caused'],
    ['sheaf patch rules/rental-terms.md x_version=4', 'changes one line and no other byte'],
    ['sheaf undo rules/rental-terms.md', 'takes that back'],
    ['sheaf fire morning-checklist', 'makes a task of a workflow: `sheaf tasks` shows it'],
    ['sheaf check', 'every document against its type'],
    ['sheaf help', 'all commands, examples first'],
  ];
};
