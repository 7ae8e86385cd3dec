import { type Command, InvalidArgumentError, Option } from 'commander';
import { SilentExit, UsageError } from '../cli-error.ts';
import type { CommandContext } from '../command-context.ts';
import { withExamples } from '../command-help.ts';
import { failedStatus } from '../exit-code.ts';
import { type CallResult, invoke } from '../invoke.ts';
import { parseWhole } from '../option-values.ts';
import { visibleLine } from '../output/terminal-text.ts';
import { counted } from '../render/file-account.ts';
import { printResponse } from '../render/response.ts';
import type { Bind } from '../runner.ts';

/** `memory check|resolve` and `feedback`: care for what is remembered. */
export const addMemoryCommands = (program: Command, bind: Bind): void => {
  const group = program
    .command('memory')
    .summary('find and resolve contradicting memories')
    .description('Compares memories, and ends their conflicts.');
  withExamples(group, ['sheaf memory check', 'sheaf memory resolve conflict-2026-09-14-001 --keep new']);
  addCheck(group, bind);
  addResolve(group, bind);
  addFeedback(program, bind);
};

const addCheck = (group: Command, bind: Bind): void => {
  const command = group
    .command('check')
    .summary('list memories that contradict or repeat each other')
    .description(
      'Compares every memory that is not superseded: by subject, predicate, object and modality, by the words of title and description, and by meaning where a model is configured. With --record each new pair becomes a conflict document, which keeps the newer memory from becoming active until it is resolved.',
    )
    .option('--record', 'write a conflict document for each pair that has none')
    .option('--dry-run', 'with --record: show what would be written')
    .action(
      bind(async (context, { record, dryRun }: { readonly record?: boolean; readonly dryRun?: boolean }) => {
        if (dryRun && !record) throw new UsageError('--dry-run goes with --record');
        await printPairs(context, await invoke(context, 'memory.check', { record, dry_run: dryRun }));
      }),
    );
  withExamples(command, ['sheaf memory check', 'sheaf memory check --record']);
};

const printPairs = async ({ printer }: CommandContext, report: CallResult<'memory.check'>): Promise<void> => {
  await printer.value(report);
  const { bad, warn, dim, name } = printer.palette;
  for (const pair of report.pairs) {
    const kind = pair.kind === 'contradiction' ? bad(pair.kind) : warn(pair.kind);
    const how = pair.similarity === null ? pair.reason : `${pair.reason} ${pair.similarity.toFixed(2)}`;
    await printer.line(`${kind}  ${dim(how.replaceAll('_', ' '))}  ${name(pair.state.replaceAll('_', ' '))}`);
    await printer.line(`  new       ${visibleLine(pair.new.path)}  ${dim(visibleLine(pair.new.title))}`);
    await printer.line(`  existing  ${visibleLine(pair.existing.path)}  ${dim(visibleLine(pair.existing.title))}`);
    if (pair.conflict !== null) await printer.line(`  conflict  ${visibleLine(pair.conflict)}`);
    if (pair.note !== undefined) await printer.line(`  ${visibleLine(pair.note)}`);
  }
  for (const { conflict_id, new_slug, existing_slug } of report.pending) {
    await printer.line(`${warn('pending')}  ${visibleLine(conflict_id)}  ${dim(visibleLine(`${new_slug} / ${existing_slug}`))}`);
  }
  printer.note(`${counted(report.memories, 'memory', 'memories')} compared, ${counted(report.pairs.length, 'pair')} found`);
  if (report.meaning !== null) printer.note(`not compared by meaning: ${visibleLine(report.meaning)}`);
  if (report.pairs.some(({ state }) => state === 'refused')) throw new SilentExit(failedStatus);
};

interface ResolveOptions {
  readonly keep: string;
  readonly dryRun?: boolean;
}

const addResolve = (group: Command, bind: Bind): void => {
  const command = group
    .command('resolve')
    .summary('end a conflict of two memories')
    .description(
      'Marks the memory that is not kept as superseded, and the conflict as resolved. Each change is refused when its document changed meanwhile.',
    )
    .argument('<CONFLICT>', 'a conflict_id, or the path of the conflict document')
    .addOption(new Option('--keep <WHICH>', 'which memory stays in force').choices(['new', 'existing', 'both']).makeOptionMandatory())
    .option('--dry-run', 'show every step, change nothing')
    .action(
      bind(async (context, conflict: string, { keep, dryRun }: ResolveOptions) => {
        const { printer } = context;
        const resolved = await invoke(context, 'memory.resolve', { conflict, keep, dry_run: dryRun });
        await printer.value(resolved);
        for (const { path, outcome } of resolved.steps) await printer.line(`${printer.palette.good(outcome)}  ${visibleLine(path)}`);
      }),
    );
  withExamples(command, ['sheaf memory resolve conflict-2026-05-16-001 --keep new']);
};

interface FeedbackOptions {
  readonly score?: number;
  readonly comment?: string;
  readonly record?: number;
  readonly key?: string;
  readonly rollup?: boolean;
  readonly dryRun?: boolean;
}

const addFeedback = (program: Command, bind: Bind): void => {
  const command = program
    .command('feedback')
    .summary('say how good something was, or roll it up')
    .description(
      'Records in the log how good a document, a run or a reply was, from 0 (bad) to 1 (good). With --rollup: writes the sum of all feedback into the feedback block of the documents it is about, and of those that records name as their provenance.',
    )
    .argument('[PATH]', 'what it is about; with --rollup which documents (default: all)')
    .option('--score <N>', '0 (bad) to 1 (good), a fraction such as 4/5, or -1 for a thumb down', parseScore)
    .option('--comment <TEXT>', 'why, for people; it stays in the log')
    .option('--record <N>', 'the turn or step that it is about', parseWhole(1_000_000_000))
    .option('--key <KEY>', 'idempotency key: the same feedback under one key counts once (default: a random one)')
    .option('--rollup', 'bring feedback blocks level with the log')
    .option('--dry-run', 'check everything, change nothing')
    .action(bind((context, path: string | undefined, options: FeedbackOptions) => runFeedback(context, path, options)));
  withExamples(command, [
    'sheaf feedback runs/morning/RUN.md --score 1',
    'sheaf feedback rules/tone.md --score 2/5 --comment "too stiff"',
    'sheaf feedback --rollup',
  ]);
};

const parseScore = (text: string): number => {
  const fraction = /^(\d+(?:\.\d+)?)\/(\d+(?:\.\d+)?)$/.exec(text);
  const score = fraction === null ? Number(text.trim() === '' ? Number.NaN : text) : Number(fraction[1]) / Number(fraction[2]);
  if (score === -1 || (score >= 0 && score <= 1)) return score;
  throw new InvalidArgumentError('give a number from 0 (bad) to 1 (good), a fraction such as 4/5, or -1 for a thumb down');
};

const runFeedback = async (context: CommandContext, path: string | undefined, options: FeedbackOptions): Promise<void> => {
  const { score, comment, record, key, rollup, dryRun: dry_run } = options;
  if (!rollup) {
    if (path === undefined || score === undefined) throw new UsageError('give a PATH and --score N, or --rollup');
    const given = { subject: path, score, comment, record, idempotency_key: key, dry_run };
    await printResponse(await invoke(context, 'feedback.give', given), context.printer);
    return;
  }
  if ([score, comment, record, key].some(value => value !== undefined))
    throw new UsageError('--rollup goes with a PATH and --dry-run only');
  const { printer } = context;
  const { documents } = await invoke(context, 'feedback.rollup', { paths: path === undefined ? undefined : [path], dry_run });
  const { good, bad, warn, dim, name } = printer.palette;
  const styles = { patched: good, unchanged: dim, planned: name, refused: bad, absent: warn };
  for (const row of documents) {
    await printer.value(row);
    const { score: mean, samples } = row.feedback;
    const said = row.reason === undefined ? '' : `  ${dim(visibleLine(row.reason))}`;
    await printer.line(`${styles[row.outcome](row.outcome)}  ${visibleLine(row.path)}  ${mean} of ${counted(samples, 'sample')}${said}`);
  }
  if (documents.length === 0) printer.note('no feedback in the log');
  if (documents.some(({ outcome }) => outcome === 'refused')) throw new SilentExit(failedStatus);
};
