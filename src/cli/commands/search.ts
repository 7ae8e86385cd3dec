import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { withAdvice, withExamples } from '../command-help.ts';
import { type CallResult, invoke } from '../invoke.ts';
import { collect, parseWhole } from '../option-values.ts';
import { parseSince } from '../output/instant.ts';
import { visibleLine } from '../output/terminal-text.ts';
import { markedLine } from '../render/marked-text.ts';
import type { Bind } from '../runner.ts';

/** `search` and `graph`: finding documents by what they say, and by what leads to them. */
export const addSearchCommands = (program: Command, bind: Bind): void => {
  addSearch(program, bind);
  addGraph(program, bind);
};

interface SearchFlags {
  readonly type?: readonly string[];
  readonly tag?: readonly string[];
  readonly status?: string;
  readonly language?: string;
  readonly since?: string;
  readonly until?: string;
  readonly in?: string;
  readonly private?: boolean;
  readonly limit: number;
  readonly facets?: boolean;
  readonly feedback: boolean;
}

const addSearch = (program: Command, bind: Bind): void => {
  const command = program
    .command('search')
    .summary('find documents by what they say')
    .description(
      'Finds documents that have all the words, and documents near in meaning where an embedding model is configured; best first. ' +
        '"Quoted words" must stand together, -word must not occur, and the last word may be unfinished.',
    )
    .argument('<QUERY...>', 'what to look for')
    .option('--type <TYPE>', 'only this type; may be given several times', collect)
    .option('--tag <TAG>', 'only documents with this tag; with all of them when given several times', collect)
    .option('--status <STATUS>', 'only this status')
    .option('--language <L>', 'only this language, such as ja or es-MX; de also stands for de-AT')
    .option('--since <T>', 'only documents of this time or later: ISO 8601, or a span such as 7d')
    .option('--until <T>', 'only documents from before this time')
    .option('--in <PREFIX>', 'only below a directory, or paths that begin like this')
    .option('--private', 'search private documents, too')
    .option('--limit <N>', 'how many at most', parseWhole(10_000), 20)
    .option('--facets', 'print how many were found by type, tag, status and language, in place of the documents')
    .option('--no-feedback', 'let feedback blocks move nothing')
    .action(
      bind((context, words: readonly string[], flags: SearchFlags) =>
        (flags.facets === true ? printFacets : printHits)(context, words, flags),
      ),
    );
  withAdvice(command, "a question with words to leave out stands in quotation marks: 'brakes -disc'");
  withExamples(command, [
    'sheaf search tone',
    'sheaf search "quiet hours" --type rule',
    "sheaf search 'brakes -disc'",
    'sheaf search 会議 --language ja --json',
    'sheaf search invoice --private --facets',
  ]);
};

const questionOf = (words: readonly string[], flags: SearchFlags): Readonly<Record<string, unknown>> => ({
  q: words.length === 1 ? words[0] : words.map(quoted).join(' '),
  type: flags.type,
  tag: flags.tag,
  status: flags.status,
  language: flags.language,
  since: instant(flags.since),
  until: instant(flags.until),
  prefix: flags.in,
  private: flags.private,
  feedback: flags.feedback ? undefined : false,
});

/** The shell has taken the quotation marks away; an argument with spaces beside others was quoted. */
const quoted = (word: string): string => (/\s/.test(word) && !word.includes('"') ? `"${word}"` : word);

const instant = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : parseSince(text, new Date()).toISOString();

type Page = CallResult<'search.query'>;

/** How many documents one page of the call may hold. */
const pageSize = 200;

const printHits = async (context: CommandContext, words: readonly string[], flags: SearchFlags): Promise<void> => {
  const question = questionOf(words, flags);
  let cursor: string | null = null;
  let shown = 0;
  let page: Page;
  do {
    page = await invoke(context, 'search.query', {
      ...question,
      limit: Math.min(pageSize, flags.limit - shown),
      cursor: cursor ?? undefined,
    });
    for (const hit of page.hits) await printHit(context, hit);
    shown += page.hits.length;
    cursor = page.cursor;
  } while (cursor !== null && shown < flags.limit && !context.signal.aborted);
  printRemarks(context, page, shown);
};

const printHit = async ({ printer }: CommandContext, hit: Page['hits'][number]): Promise<void> => {
  const { strong, dim, name, good } = printer.palette;
  await printer.value(hit);
  const kind = hit.portability === 'structural' ? (hit.type ?? 'no type') : `${hit.type ?? 'no type'}, ${hit.portability}`;
  await printer.line(`${strong(visibleLine(hit.path))}  ${visibleLine(hit.title)}  ${dim(visibleLine(kind))}`);
  const { text, ranges } = hit.snippet;
  if (text !== '')
    await printer.line(
      `  ${markedLine(text, ranges, printer.width === null ? good : text => good(name(text)), printer.width === null ? null : printer.width - 2)}`,
    );
};

const printRemarks = ({ printer }: CommandContext, page: Page, shown: number): void => {
  // Said only where it explains a poor answer; in the answer itself it always stands.
  const always = new Set(['query_cut', 'some_words', 'reindex_needed', 'vectors_missing', 'model_unreachable']);
  for (const { code, message } of page.reasons) if (shown === 0 || page.words === 'some' || always.has(code)) printer.note(message);
  if (shown === 0) printer.note('nothing found');
  else if (shown < page.total) printer.note(`${shown} of ${page.total}; more with --limit`);
};

const printFacets = async (context: CommandContext, words: readonly string[], flags: SearchFlags): Promise<void> => {
  const { printer } = context;
  const page = await invoke(context, 'search.query', { ...questionOf(words, flags), limit: 1, facets: true });
  const rows = Object.entries(page.facets ?? {}).flatMap(([facet, counts]) => counts.map(({ value, count }) => ({ facet, value, count })));
  for (const row of rows) await printer.value(row);
  await printer.table(
    rows.map(({ facet, value, count }) => [
      { text: facet, style: printer.palette.dim },
      { text: visibleLine(value) },
      { text: String(count) },
    ]),
    1,
  );
  printRemarks(context, { ...page, total: 0 }, page.total);
};

const addGraph = (program: Command, bind: Bind): void => {
  const command = program
    .command('graph')
    .summary('show what a document leads to, and what leads to it')
    .description('Prints the relations and links around a document, both ways. With --json: one object with its nodes and edges.')
    .argument('<PATH>', 'the document')
    .option('--depth <N>', 'how many steps away', parseWhole(3), 1)
    .option('--limit <N>', 'how many edges at most', parseWhole(1000), 200)
    .option('--private', 'show private documents around it, too')
    .action(
      bind(async (context, path: string, flags: { readonly depth: number; readonly limit: number; readonly private?: boolean }) => {
        const { printer } = context;
        const { dim, strong, warn } = printer.palette;
        const graph = await invoke(context, 'graph.query', { path, ...flags });
        await printer.value(graph);
        await printer.table(
          graph.edges.map(({ from, to, kind, name, target, state, candidates }) => [
            { text: visibleLine(from), style: from === path ? strong : String },
            { text: `${name === null ? kind : visibleLine(name)} →`, style: dim },
            to === null
              ? { text: visibleLine(`${target} (${state}${candidates.length > 0 ? `: ${candidates.join(', ')}` : ''})`), style: warn }
              : { text: visibleLine(to), style: to === path ? strong : String },
          ]),
          2,
        );
        if (graph.edges.length === 0) printer.note('no relations and no links');
        if (graph.more) printer.note('there are more edges; show them with --limit');
      }),
    );
  withExamples(command, ['sheaf graph rules/tone.md', 'sheaf graph rules/tone.md --depth 2 --json']);
};
