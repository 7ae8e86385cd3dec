import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { withAdvice, withExamples } from '../command-help.ts';
import { findChange, findEventId } from '../find-event.ts';
import { type CallResult, invoke } from '../invoke.ts';
import { visibleLine } from '../output/terminal-text.ts';
import { blameRows } from '../render/blame-rows.ts';
import { printDiff } from '../render/diff-lines.ts';
import { printResponse } from '../render/response.ts';
import type { Bind } from '../runner.ts';

/** `diff`, `blame`, `undo`, `history`: the past of documents, and taking changes back. */
export const addPastCommands = (program: Command, bind: Bind): void => {
  addDiff(program, bind);
  addBlame(program, bind);
  addUndo(program, bind);
  const history = program
    .command('history')
    .summary('keep past contents within their limit, and commit them to git')
    .description('Past contents of documents: their limit, and the same history as commits in git.');
  withExamples(history, ['sheaf history gc --dry-run', 'sheaf history git on']);
  addCollect(history, bind);
  addGit(history, bind);
};

const addDiff = (program: Command, bind: Bind): void => {
  const command = program
    .command('diff')
    .summary('show what changed')
    .description(
      'Shows what stands in a document but not in the log; with one event what that event changed; with two what differs between the document after the one and after the other.',
    )
    .argument('<PATH>', 'the document')
    .argument('[EVENT]', 'an event id, or its ending as `sheaf log` prints it')
    .argument('[EVENT2]', 'another event')
    .action(
      bind(async (context, path: string, from: string | undefined, to: string | undefined) => {
        const diff = await invoke(context, 'history.diff', {
          path,
          from: await findEventId(context, from),
          to: await findEventId(context, to),
        });
        await context.printer.value(diff);
        await printDiff(context.printer, diff);
      }),
    );
  withExamples(command, [
    'sheaf diff rules/tone.md',
    'sheaf diff rules/tone.md 8f0c5a1b2c3d',
    'sheaf diff rules/tone.md 8f0c5a1b2c3d 1d2e3f4a5b6c',
  ]);
};

const addBlame = (program: Command, bind: Bind): void => {
  const command = program
    .command('blame')
    .summary('show who set what')
    .description('Shows which event gave each frontmatter key its value and each line of the body its text, and who caused it.')
    .argument('<PATH>', 'the document')
    .option('--at <EVENT>', 'of the document as it was after an event')
    .action(
      bind(async (context, path: string, options: { readonly at?: string }) => {
        const { printer } = context;
        const blame = await invoke(context, 'history.blame', { path, at: await findEventId(context, options.at) });
        await printer.value(blame);
        await printer.table(blameRows(blame, printer.palette));
        if (blame.note !== null) printer.note(visibleLine(blame.note));
      }),
    );
  withExamples(command, ['sheaf blame rules/tone.md', 'sheaf blame rules/tone.md --at 8f0c5a1b2c3d --json']);
};

interface UndoFlags {
  readonly force?: boolean;
  readonly dryRun?: boolean;
  readonly key?: string;
  readonly lease?: string;
  readonly operation?: string;
}

const addUndo = (program: Command, bind: Bind): void => {
  const command = program
    .command('undo')
    .summary('take back what an event did')
    .description(
      'Writes a new event that restores what stood there before, as you and under your rights. Refused when the document has changed since, unless --force; undoing the undo brings the change back.',
    )
    .argument(
      '<EVENT_OR_PATH>',
      'an event id, or its ending as `sheaf log` prints it; a document stands for the last event that changed it',
    )
    .option('--force', 'restore over whatever is stored now')
    .option('--dry-run', 'check everything, change nothing')
    .option('--key <KEY>', 'idempotency key (default: one derived from the event and the state of the document)')
    .option('--lease <ID>', 'the lease to write under, with --operation')
    .option('--operation <ID>', 'the operation id the lease was acquired with')
    .action(bind(async (context, id: string, options: UndoFlags) => printResponse(await undo(context, id, options), context.printer)));
  withAdvice(command, '`sheaf log` lists the events, the last one at the end');
  withExamples(command, [
    'sheaf undo rules/tone.md',
    'sheaf undo 8f0c5a1b2c3d',
    'sheaf undo 8f0c5a1b2c3d --dry-run',
    'sheaf undo 8f0c5a1b2c3d --force',
  ]);
};

const undo = async (context: CommandContext, id: string, { force, dryRun, key, lease, operation }: UndoFlags) =>
  invoke(context, 'history.undo', {
    event_id: await findChange(context, id),
    force,
    dry_run: dryRun,
    idempotency_key: key,
    lease_id: lease,
    operation_id: operation,
  });

const addCollect = (history: Command, bind: Bind): void => {
  const command = history
    .command('gc')
    .summary('remove past contents beyond the limit')
    .description(
      'Removes past contents beyond "history" in .ssss/workspace.json ("max_bytes", "max_age_days"), oldest first; without a limit nothing. What a document holds now always stays.',
    )
    .option('--dry-run', 'say what would be removed')
    .action(
      bind(async (context, options: { readonly dryRun?: boolean }) => {
        const { printer } = context;
        const done = await invoke(context, 'history.collect', { dry_run: options.dryRun });
        await printer.value(done);
        const verb = options.dryRun === true ? 'would remove' : 'removed';
        await printer.line(`${verb} ${amount(done.removed)}, ${options.dryRun === true ? 'keep' : 'kept'} ${amount(done.kept)}`);
      }),
    );
  withExamples(command, ['sheaf history gc --dry-run', 'sheaf history gc']);
};

const amount = ({ contents, bytes }: CallResult<'history.collect'>['kept']): string =>
  `${contents} past ${contents === 1 ? 'content' : 'contents'} (${bytes} bytes)`;

const addGit = (history: Command, bind: Bind): void => {
  const command = history
    .command('git')
    .summary('commit the documents to git')
    .description(
      'Commits the documents to refs/sheaf/history of the git repository around the vault: one commit for neighbouring changes of one author, nothing else in the repository is touched. `on` and `off` decide whether long-running commands do so by themselves, `sync` does it now, `status` says where it stands.',
    )
    .argument('[ACTION]', 'on, off, sync or status (default: status)')
    .action(
      bind(async (context, action: string | undefined) => {
        const { printer } = context;
        const state = await invoke(context, 'history.git', { action });
        await printer.value(state);
        await printer.line(gitLine(state));
        if (state.reason !== null) printer.note(visibleLine(state.reason));
      }),
    );
  withExamples(command, ['sheaf history git', 'sheaf history git on', 'sheaf history git sync']);
};

const gitLine = ({ enabled, ref, commit, behind, commits }: CallResult<'history.git'>): string => {
  const made = commits === 0 ? '' : `, ${commits} new ${commits === 1 ? 'commit' : 'commits'}`;
  const where = commit === null ? 'nothing there yet' : `at ${commit.slice(0, 12)}`;
  return `${enabled ? 'on' : 'off'}  ${ref}  ${where}${made}${behind === null || behind === 0 ? '' : `, ${behind} changes behind`}`;
};
