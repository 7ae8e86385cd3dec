import type { Command } from 'commander';
import { withExamples } from '../command-help.ts';
import { invoke } from '../invoke.ts';
import { parseWhole } from '../option-values.ts';
import { parseSince, relativeTime } from '../output/instant.ts';
import type { Cell } from '../output/table.ts';
import { visibleLine } from '../output/terminal-text.ts';
import { counted } from '../render/file-account.ts';
import type { Bind } from '../runner.ts';

interface SessionOptions {
  readonly since?: string;
  readonly limit: number;
}

/** `sessions`: the flows of the log by correlation (§8.3). */
export const addSessionsCommand = (program: Command, bind: Bind): void => {
  const command = program
    .command('sessions')
    .summary('list what was done together')
    .description(
      'Lists the flows of the log by their correlation id, the one with the newest event first: how many events, who took part, what it began with. `sheaf trace` draws one of them.',
    )
    .option('--since <T>', 'only flows that went on since an ISO 8601 time, or a span such as 30m, 12h, 7d')
    .option('--limit <N>', 'how many at most', parseWhole(1000), 20)
    .action(
      bind(async (context, { since, limit }: SessionOptions) => {
        const { printer } = context;
        const from = since === undefined ? undefined : parseSince(since, new Date()).toISOString();
        const { sessions } = await invoke(context, 'event.sessions', { since: from, limit });
        for (const session of sessions) await printer.value(session);
        const now = new Date();
        const { strong, dim } = printer.palette;
        await printer.table(
          sessions.map((session): Cell[] => [
            { text: visibleLine(session.correlation_id), style: strong },
            { text: relativeTime(session.last_at, now) },
            { text: counted(session.events, 'event') },
            { text: visibleLine(session.actors.join(', ')) },
            { text: visibleLine(session.subjects.join(', ')), style: dim },
          ]),
          4,
        );
        if (sessions.length === 0) printer.note('no events');
      }),
    );
  withExamples(command, ['sheaf sessions', 'sheaf sessions --since 7d --json']);
};
