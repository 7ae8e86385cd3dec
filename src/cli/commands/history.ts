import type { Command } from 'commander';
import { followEvents } from '#api';
import type { CommandContext } from '../command-context.ts';
import { withExamples } from '../command-help.ts';
import { findEvent } from '../find-event.ts';
import { type CallResult, invoke, type LogEvent } from '../invoke.ts';
import { parseWhole } from '../option-values.ts';
import { parseSince, shortInstant } from '../output/instant.ts';
import type { Printer } from '../output/printer.ts';
import { visibleLine, visibleText } from '../output/terminal-text.ts';
import { branchPrefixes } from '../render/branches.ts';
import { printDiff } from '../render/diff-lines.ts';
import { actionStyle, eventActor, eventDetails, eventWord, printEventTable, shortEventId } from '../render/event-lines.ts';
import type { Bind } from '../runner.ts';

/** `log`, `show`, `trace`: what happened. */
export const addHistoryCommands = (program: Command, bind: Bind): void => {
  addLog(program, bind);
  addShow(program, bind);
  addTrace(program, bind);
};

interface LogOptions {
  readonly since?: string;
  readonly correlation?: string;
  readonly follow?: boolean;
  readonly limit?: number;
}

const addLog = (program: Command, bind: Bind): void => {
  const command = program
    .command('log')
    .summary('print the event log')
    .description(
      'Prints the events of the vault, or of a document or directory, oldest first. With --json: the canonical records as they stand.',
    )
    .argument('[PATH]', 'a document, or a directory with a trailing /')
    .option('--since <T>', 'only events since an ISO 8601 time, or a span such as 30m, 12h, 7d')
    .option('--correlation <ID>', 'only the events of one flow')
    .option('--limit <N>', 'only the last N events', parseWhole(1_000_000))
    .option('--follow', 'go on printing new events until interrupted')
    .action(bind((context, path: string | undefined, options: LogOptions) => printLog(context, path, options), { finishes: true }));
  withExamples(command, ['sheaf log', 'sheaf log rules/tone.md', 'sheaf log --since 2h --follow', 'sheaf log tasks/ --json']);
};

const printLog = async (context: CommandContext, path: string | undefined, options: LogOptions): Promise<void> => {
  const since = options.since === undefined ? undefined : parseSince(options.since, new Date()).toISOString();
  const filter = { subject: path, correlation_id: options.correlation, since };
  const reader = createLogReader(context, filter);
  const events: LogEvent[] = [];
  let shown = 0;
  for (let page = await reader.next(); page.length > 0; page = await reader.next()) {
    shown += page.length;
    events.push(...page);
    if (options.limit !== undefined) events.splice(0, events.length - options.limit);
    // Streams are printed as they are read; a table needs its rows together to be aligned.
    else if (context.printer.json) await printEvents(context, events.splice(0));
  }
  await printEvents(context, events);
  if (shown === 0 && options.follow !== true) context.printer.note(noEvents(path));
  if (options.follow === true) await printComing(context, reader.place(), filter);
};

/** Prints what is appended behind a place, by whichever process, until the command is interrupted. */
const printComing = async (context: CommandContext, place: string | null, filter: Readonly<Record<string, unknown>>): Promise<void> => {
  const begin = place === null ? { from: 'start' } : { after: place };
  const given = Object.fromEntries(Object.entries({ ...filter, ...begin }).filter(([, value]) => value !== undefined));
  const { follow, matches } = await followEvents.open(await context.vault(), await context.caller(), given);
  for await (const { event } of follow(context.signal)) if (matches(event)) await printEvents(context, [event]);
};

// A subject may have any name, so a directory is not guessed; but whoever forgot the slash is told.
const noEvents = (path: string | undefined): string =>
  path === undefined || /(?:\/|\.md)$/.test(path)
    ? 'no events'
    : `no events of '${visibleLine(path)}' itself; for a directory write '${visibleLine(path)}/'`;

const createLogReader = (context: CommandContext, filter: Readonly<Record<string, unknown>>) => {
  let cursor: string | null = null;
  return {
    async next(): Promise<readonly LogEvent[]> {
      if (context.signal.aborted) return [];
      const page: CallResult<'event.list'> = await invoke(context, 'event.list', { ...filter, limit: 1000, cursor: cursor ?? undefined });
      cursor = page.cursor ?? cursor;
      return page.events;
    },
    /** Behind what was looked at. */
    place: () => cursor,
  };
};

const printEvents = async ({ printer }: CommandContext, events: readonly LogEvent[]): Promise<void> => {
  for (const event of events) await printer.value(event);
  if (!printer.json) await printEventTable(printer, events);
};

const addShow = (program: Command, bind: Bind): void => {
  const command = program
    .command('show')
    .summary('print one event')
    .description(
      'Prints one event with all its fields and, for people, what it changed. With --content: the document as the event left it; with --json then one object with both contents and the difference.',
    )
    .argument('<EVENT>', 'an event id, or its ending as `sheaf log` prints it')
    .option('--content', 'print the document as the event left it')
    .action(bind((context, id: string, options: { readonly content?: boolean }) => printShown(context, id, options.content === true)));
  withExamples(command, ['sheaf show 8f0c5a1b2c3d', 'sheaf show 8f0c5a1b2c3d --content', 'sheaf show 019b…-8f0c5a1b2c3d --json']);
};

const printShown = async (context: CommandContext, id: string, content: boolean): Promise<void> => {
  const { printer } = context;
  const event = await findEvent(context, id);
  if (content) return printContent(printer, await invoke(context, 'history.show', { event_id: event.event_id }));
  await printer.value(event);
  if (printer.json) return;
  await printer.table(eventDetails(event, new Date(), printer.palette));
  const change = await invoke(context, 'history.show', { event_id: event.event_id }).catch((error: unknown) => {
    // Whoever may read the log but not the document is shown the event alone.
    if (isRefused(error, 'forbidden')) return null;
    throw error;
  });
  if (change?.changes_document !== true) return;
  await printer.line();
  await printDiff(printer, { diff: change.diff, from: change.before, to: change.after });
};

const printContent = async (printer: Printer, change: CallResult<'history.show'>): Promise<void> => {
  await printer.value(change);
  if (printer.json) return;
  const { content, missing } = change.after;
  if (content !== null) await printer.raw(printer.width === null ? content : visibleText(content));
  else printer.note(missing === undefined ? 'no document stood there after this event' : visibleLine(missing));
};

const addTrace = (program: Command, bind: Bind): void => {
  const command = program
    .command('trace')
    .summary('draw what caused what')
    .description('Draws the causal tree that an event belongs to, or everything that happened under a correlation id.')
    .argument('<EVENT_OR_CORRELATION>', 'an event id (or its ending) or a correlation id')
    .action(
      bind(async (context, id: string) => {
        const { printer } = context;
        const tree = await traceOf(context, id);
        await printer.value(tree);
        const { dim, strong } = printer.palette;
        const branches = branchPrefixes(tree.nodes.map(node => node.depth));
        for (const [index, { event, focus, note }] of tree.nodes.entries()) {
          const what = `${actionStyle(event, printer.palette)(visibleLine(eventWord(event)))} ${(focus ? strong : String)(visibleLine(event.subject))}`;
          const who = dim(`${visibleLine(shortInstant(event.timestamp))}  ${eventActor(event)}  ${shortEventId(event.event_id)}`);
          await printer.line(`${dim(branches[index] ?? '')}${what}  ${who}${focus ? dim('  ← asked for') : ''}`);
          if (note !== undefined) printer.note(dim(`  ${visibleLine(note)}`));
        }
      }),
    );
  withExamples(command, ['sheaf trace tanaka-rental', 'sheaf trace 8f0c5a1b2c3d']);
};

const traceOf = async (context: CommandContext, id: string): Promise<CallResult<'event.trace'>> => {
  try {
    return await invoke(context, 'event.trace', { id });
  } catch (error) {
    if (!isRefused(error, 'not_found')) throw error;
    return invoke(context, 'event.trace', { id: (await findEvent(context, id)).event_id });
  }
};

const isRefused = (error: unknown, code: string): boolean => error instanceof Error && 'code' in error && error.code === code;
