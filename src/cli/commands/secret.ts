import type { Command } from 'commander';
import { type CommandContext, readTextInput } from '../command-context.ts';
import { withExamples } from '../command-help.ts';
import { invoke } from '../invoke.ts';
import { relativeTime } from '../output/instant.ts';
import type { Cell } from '../output/table.ts';
import { visibleLine } from '../output/terminal-text.ts';
import type { Bind } from '../runner.ts';

/** `secret set|ls|rm`: keys of models and services, outside the vault (readings: models). */
export const addSecretCommands = (program: Command, bind: Bind): void => {
  const group = program
    .command('secret')
    .summary('keep keys of models and services')
    .description('Keeps keys on this machine, outside the vault, each for the one origin that it is sent to. They are never shown again.');
  withExamples(group, ['sheaf secret set shop-key --origin https://shop.example.com < key.txt', 'sheaf secret ls']);
  const set = group
    .command('set')
    .description('Reads a key from standard input and keeps it for one origin.')
    .argument('<NAME>', 'a name of your own')
    .requiredOption('--origin <ORIGIN>', 'the only place that it is sent to, such as https://shop.example.com')
    .action(bind((context, name: string, { origin }: { readonly origin: string }) => setSecret(context, name, origin)));
  withExamples(set, ['sheaf secret set shop-key --origin https://shop.example.com < key.txt']);
  const list = group
    .command('ls')
    .description('Lists the keys by name, with the origin of each, without their values.')
    .action(
      bind(async context => {
        const { printer } = context;
        const { secrets } = await invoke(context, 'secret.list', {});
        for (const secret of secrets) await printer.value(secret);
        const now = new Date();
        await printer.table(
          secrets.map(({ name, origin, created_at }): Cell[] => [
            { text: visibleLine(name), style: printer.palette.strong },
            { text: visibleLine(origin) },
            { text: relativeTime(created_at, now), style: printer.palette.dim },
          ]),
        );
        if (secrets.length === 0) printer.note('no keys are kept here');
      }),
    );
  withExamples(list, ['sheaf secret ls']);
  const remove = group
    .command('rm')
    .description('Forgets a key.')
    .argument('<NAME>', 'as `sheaf secret ls` prints it')
    .action(
      bind(async (context, name: string) => {
        await context.printer.value(await invoke(context, 'secret.remove', { name }));
        context.printer.note(`the key '${visibleLine(name)}' is forgotten`);
      }),
    );
  withExamples(remove, ['sheaf secret rm shop-key']);
};

const setSecret = async (context: CommandContext, name: string, origin: string): Promise<void> => {
  const value = (await readTextInput(undefined, context)).trim();
  const set = await invoke(context, 'secret.set', { name, origin, value });
  await context.printer.value(set);
  await context.printer.line(
    `${context.printer.palette.good(set.replaced ? 'replaced' : 'kept')}  ${visibleLine(`${set.name}  for ${set.origin}`)}`,
  );
};
