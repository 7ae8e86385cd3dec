import type { Command } from 'commander';
import { withExamples } from '../command-help.ts';
import { type CallResult, invoke } from '../invoke.ts';
import { createProgressLine } from '../output/progress-line.ts';
import type { Cell } from '../output/table.ts';
import { visibleLine } from '../output/terminal-text.ts';
import { counted } from '../render/file-account.ts';
import type { Bind } from '../runner.ts';
import { indexGroup } from './index-group.ts';

/** `index status|rebuild|repair`: what is derived from vault and log (§10). */
export const addIndexCommands = (program: Command, bind: Bind): void => {
  const group = indexGroup(program);
  addStatus(group, bind);
  addRebuild(group, bind);
  addRepair(group, bind);
};

type Status = CallResult<'index.status'>['projections'][number];

const addStatus = (group: Command, bind: Bind): void => {
  const command = group
    .command('status')
    .description(
      'Prints each projection: missing, stale or level, how many events it has not seen, and how many files differ from what it holds.',
    )
    .action(
      bind(async context => {
        const { printer } = context;
        const { projections } = await invoke(context, 'index.status', {});
        for (const row of projections) await printer.value(row);
        const { good, warn, dim, strong } = printer.palette;
        await printer.table(
          projections.map((row): Cell[] => [
            { text: row.state, style: row.state === 'level' ? good : warn },
            { text: visibleLine(row.id), style: strong },
            { text: behind(row), style: dim },
          ]),
        );
        if (projections.some(row => row.state !== 'level'))
          printer.note('the next question that needs it brings it level; nothing needs to be done');
      }),
    );
  withExamples(command, ['sheaf index status', 'sheaf index status --json']);
};

const behind = ({ feed, lag, drifted }: Status): string => {
  const seen = `${counted(lag, 'event')} behind`;
  return feed === 'events' ? seen : `${seen}, ${counted(drifted ?? 0, 'file')} to take over`;
};

const addRebuild = (group: Command, bind: Bind): void => {
  const command = group
    .command('rebuild')
    .description('Forgets one projection, or all, and builds them from vault and log. Documents and log are only read.')
    .argument('[ID]', 'a projection, as `sheaf index status` names it (default: all)')
    .action(
      bind(async (context, id: string | undefined) => {
        const { printer } = context;
        const progress = createProgressLine('documents', { stream: process.stderr, quiet: printer.quiet || printer.json });
        const stop = (await context.vault()).index.onProgress(({ done, total }) => progress.update(done, total));
        try {
          const result = await invoke(context, 'index.rebuild', { id });
          progress.end();
          await printer.value(result);
          const { good, dim } = printer.palette;
          const names = visibleLine(result.rebuilt.join(', ') || 'nothing');
          await printer.line(
            `${good('rebuilt')}  ${names}  ${dim(`${counted(result.files, 'file')}, ${counted(result.events, 'event')}`)}`,
          );
        } finally {
          progress.end();
          stop();
        }
      }),
    );
  withExamples(command, ['sheaf index rebuild', 'sheaf index rebuild event_graph']);
};

const addRepair = (group: Command, bind: Bind): void => {
  const command = group
    .command('repair')
    .description('Reads every document, compares projections with vault and log, and mends and prints what differs.')
    .action(
      bind(async context => {
        const { printer } = context;
        const { repaired } = await invoke(context, 'index.repair', {});
        for (const row of repaired) await printer.value(row);
        const { warn, strong, dim, good } = printer.palette;
        await printer.table(
          repaired.map((row): Cell[] => [
            { text: 'mended', style: warn },
            { text: visibleLine(row.path), style: strong },
            { text: visibleLine(row.projection) },
            { text: row.held === null ? 'was not held' : row.stored === null ? 'is no longer there' : 'was held otherwise', style: dim },
          ]),
          1,
        );
        if (repaired.length === 0) await printer.line(`${good('sound')}  what is derived agrees with vault and log`);
      }),
    );
  withExamples(command, ['sheaf index repair', 'sheaf index repair --json']);
};
