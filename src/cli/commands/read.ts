import type { Command } from 'commander';
import { UsageError } from '../cli-error.ts';
import type { CommandContext } from '../command-context.ts';
import { withExamples } from '../command-help.ts';
import { findEventId } from '../find-event.ts';
import { type CallResult, invoke } from '../invoke.ts';
import type { Cell } from '../output/table.ts';
import { visibleLine, visibleText } from '../output/terminal-text.ts';
import { branchPrefixes } from '../render/branches.ts';
import type { Bind } from '../runner.ts';

/** `cat`, `ls`, `tree`: what is in the vault now. */
export const addReadCommands = (program: Command, bind: Bind): void => {
  addCat(program, bind);
  addLs(program, bind);
  addTree(program, bind);
};

const addCat = (program: Command, bind: Bind): void => {
  const command = program
    .command('cat')
    .summary('print a document')
    .description('Prints a document: exactly its bytes into a file or pipe; on a terminal control characters are spelled out.')
    .argument('<PATH>', 'the document')
    .option('--at <EVENT>', 'as it was after an event, given by its id or its ending')
    .option(
      '--render <LANG>',
      'show it as the vault presents itself in a language (de, pt-BR): dates, sums and words by its language convention; stores nothing',
    )
    .action(
      bind(async (context, path: string, options: CatOptions) => {
        const { printer } = context;
        const document = await catDocument(context, path, options);
        await printer.value(document);
        if (!printer.json) await printer.raw(printer.width === null ? document.content : visibleText(document.content));
      }),
    );
  withExamples(command, [
    'sheaf cat rules/tone.md',
    'sheaf cat rules/tone.md --json',
    'sheaf cat rules/tone.md --render de',
    'sheaf cat rules/tone.md --at 8f0c5a1b2c3d',
  ]);
};

interface CatOptions {
  readonly at?: string;
  readonly render?: string;
}

const catDocument = async (context: CommandContext, path: string, { at, render: language }: CatOptions) => {
  if (at !== undefined && language !== undefined) throw new UsageError('--at and --render exclude each other');
  if (at !== undefined) return invoke(context, 'history.read', { path, at: await findEventId(context, at) });
  return language === undefined ? invoke(context, 'document.read', { path }) : invoke(context, 'document.render', { path, language });
};

type Entry = CallResult<'document.list'>['documents'][number];

const addLs = (program: Command, bind: Bind): void => {
  const command = program
    .command('ls')
    .summary('list documents')
    .description(
      'Lists Markdown files, all or those below a directory or of a type. What cannot be read as a document is listed with the reason.',
    )
    .argument('[PREFIX]', 'a directory, or the beginning of paths')
    .option('--type <TYPE>', 'only this type, bare (memory) or qualified (ssss:memory)')
    .action(
      bind(async (context, prefix: string | undefined, options: { readonly type?: string }) => {
        const { printer } = context;
        const rows: Cell[][] = [];
        let listed = 0;
        for await (const entry of listAll(context, { prefix, type: options.type })) {
          listed += 1;
          await printer.value(entry);
          if (!printer.json) rows.push(entryRow(entry, context));
        }
        await printer.table(rows, 2);
        if (listed === 0) printer.note('nothing here');
      }),
    );
  withExamples(command, ['sheaf ls', 'sheaf ls tasks/', 'sheaf ls --type memory --json']);
};

async function* listAll(
  context: CommandContext,
  filter: { readonly prefix: string | undefined; readonly type: string | undefined },
): AsyncGenerator<Entry> {
  let cursor: string | null = null;
  do {
    const page: CallResult<'document.list'> = await invoke(context, 'document.list', {
      ...filter,
      limit: 1000,
      cursor: cursor ?? undefined,
    });
    yield* page.documents;
    cursor = page.cursor;
  } while (cursor !== null && !context.signal.aborted);
}

const entryRow = (entry: Entry, { printer }: CommandContext): Cell[] => {
  const { dim, name, warn } = printer.palette;
  const sound = entry.kind === 'document' || entry.kind === 'ordinary';
  const kind = { text: visibleLine(entry.type ?? entry.kind), style: sound ? (entry.type === null ? dim : name) : warn };
  return [kind, { text: visibleLine(entry.path) }, { text: visibleLine(entry.reason ?? entry.title ?? ''), style: sound ? dim : warn }];
};

const addTree = (program: Command, bind: Bind): void => {
  const command = program
    .command('tree')
    .summary('draw the documents as a tree')
    .description('Draws the directories and Markdown files of the vault with their types.')
    .argument('[PREFIX]', 'a directory')
    .option('--type <TYPE>', 'only this type')
    .action(
      bind(async (context, prefix: string | undefined, options: { readonly type?: string }) => {
        const { printer } = context;
        const { rows } = await invoke(context, 'document.tree', { prefix, type: options.type });
        for (const row of rows) await printer.value(row);
        const branches = branchPrefixes(rows.map(row => row.depth));
        const { dim, strong } = printer.palette;
        for (const [index, row] of rows.entries()) {
          const label = row.directory
            ? strong(`${visibleLine(row.name)}/`)
            : `${visibleLine(row.name)}  ${dim(visibleLine(row.type ?? ''))}`;
          await printer.line(`${dim(branches[index] ?? '')}${label.trimEnd()}`);
        }
        const files = rows.filter(row => !row.directory).length;
        printer.note(`${files} file${files === 1 ? '' : 's'}`);
      }),
    );
  withExamples(command, ['sheaf tree', 'sheaf tree memory/']);
};
