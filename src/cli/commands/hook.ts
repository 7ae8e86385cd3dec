import type { Command } from 'commander';
import { withExamples } from '../command-help.ts';
import { invoke } from '../invoke.ts';
import { relativeTime } from '../output/instant.ts';
import type { Cell } from '../output/table.ts';
import { visibleLine } from '../output/terminal-text.ts';
import type { Bind } from '../runner.ts';

/** `hook secret|ls|rm`: which senders of webhooks this machine believes (readings: webhooks). */
export const addHookCommands = (program: Command, bind: Bind): void => {
  const group = program
    .command('hook')
    .summary('say which webhooks are believed')
    .description(
      'Keeps the secrets with which other systems sign what they send to POST /v1/hooks/WORKFLOW/TRIGGER. A webhook trigger names its secret in x_secret; without one on this machine it has no route.',
    );
  withExamples(group, ['sheaf hook secret web-form', 'sheaf hook ls']);

  const secret = group
    .command('secret')
    .description(
      'Makes a secret and prints it, this once. The one before stays good, so that the sender can be changed; an older one ends.',
    )
    .argument('<NAME>', 'the name that a trigger has in x_secret')
    .action(
      bind(async (context, name: string) => {
        const { printer } = context;
        const made = await invoke(context, 'hook.secret', { name });
        await printer.value(made);
        if (printer.json) return;
        await printer.line(made.secret);
        printer.note(`keep it now, it is not shown again; ${made.live === 1 ? 'it is the only live one' : 'the one before is still good'}`);
        printer.note('senders sign `SECONDS.BODY` with all of it: Sheaf-Signature: t=SECONDS,v1=HMAC-SHA256 in hex');
      }),
    );
  withExamples(secret, ['sheaf hook secret web-form']);

  const list = group
    .command('ls')
    .description('Lists the names that have secrets, without them.')
    .action(
      bind(async context => {
        const { printer } = context;
        const { hooks } = await invoke(context, 'hook.list', {});
        for (const hook of hooks) await printer.value(hook);
        const now = new Date();
        await printer.table(
          hooks.map(({ name, created_at }): Cell[] => [
            { text: visibleLine(name), style: printer.palette.strong },
            { text: `${created_at.length} live` },
            { text: `newest ${relativeTime(created_at.at(-1) ?? '', now)}`, style: printer.palette.dim },
          ]),
        );
        if (hooks.length === 0) printer.note('no secrets: no webhook is believed here');
      }),
    );
  withExamples(list, ['sheaf hook ls --json']);

  const remove = group
    .command('rm')
    .description('Ends all secrets of a name. What is signed with them is refused from now on.')
    .argument('<NAME>', 'as `sheaf hook ls` prints it')
    .action(
      bind(async (context, name: string) => {
        await context.printer.value(await invoke(context, 'hook.remove', { name }));
        context.printer.note(`no webhook is believed under the name '${visibleLine(name)}' any more`);
      }),
    );
  withExamples(remove, ['sheaf hook rm web-form']);
};
