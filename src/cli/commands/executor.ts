import { Argument, type Command, Option } from 'commander';
import { UsageError } from '../cli-error.ts';
import type { CommandContext } from '../command-context.ts';
import { withExamples } from '../command-help.ts';
import { invoke } from '../invoke.ts';
import { collect, parseSeconds, parseWhole } from '../option-values.ts';
import type { Cell } from '../output/table.ts';
import { visibleLine } from '../output/terminal-text.ts';
import type { Bind } from '../runner.ts';

/** `executor ls|set|rm`: what work may use on this machine (readings: executors). */
export const addExecutorCommands = (program: Command, bind: Bind): void => {
  const group = program
    .command('executor')
    .summary('allow programs and services to the work of the vault')
    .description(
      'Keeps the list of programs and services that tasks of this vault may use on this machine. A task chooses a name of the list and gives values for its {slots}; it never brings a command line or an address of its own. Neither works in a vault that was not accepted with `sheaf trust`.',
    );
  withExamples(group, ["sheaf executor set command shout /usr/bin/figlet '{word}'", 'sheaf executor ls']);
  const list = group
    .command('ls')
    .description('Lists what is allowed, and what a run of an assistant may use up.')
    .action(bind(context => listAllowed(context)));
  withExamples(list, ['sheaf executor ls']);
  const set = group
    .command('set')
    .summary('allow a program or a service, or set the ceilings of assistants')
    .description('Allows a program or a service to the work of this vault on this machine, or sets what a run of an assistant may use up.');
  withExamples(set, ["sheaf executor set command shout /usr/bin/figlet '{word}'", 'sheaf executor set assistant --steps 10']);
  addCommandSetting(set, bind);
  addServiceSetting(set, bind);
  addCeilings(set, bind);
  const remove = group
    .command('rm')
    .description('Takes a program or a service from the list.')
    .addArgument(new Argument('<KIND>', 'command or service').choices(['command', 'service']))
    .argument('<NAME>', 'as `sheaf executor ls` prints it')
    .action(
      bind(async (context, kind: string, name: string) => {
        await context.printer.value(await invoke(context, 'executor.remove', { kind, name }));
        context.printer.note(`the ${kind} '${visibleLine(name)}' is not allowed any more`);
      }),
    );
  withExamples(remove, ['sheaf executor rm command shout']);
};

const listAllowed = async (context: CommandContext): Promise<void> => {
  const { printer } = context;
  const { assistant, allowed } = await invoke(context, 'executor.list', {});
  await printer.value({ kind: 'assistant', ...assistant });
  for (const row of allowed) await printer.value(row);
  await printer.table([
    [{ text: 'assistant' }, { text: '' }, { text: `at most ${assistant.steps} turns, ${assistant.tokens} tokens, ${assistant.seconds} s` }],
    ...allowed.map((row): Cell[] => [
      { text: row.kind },
      { text: visibleLine(row.name), style: printer.palette.strong },
      { text: visibleLine(row.what) },
    ]),
  ]);
};

interface CommandFlags {
  readonly slot?: readonly string[];
  readonly timeout?: number;
  readonly maxOutput?: number;
}

const slotOption = [
  '--slot <NAME=PATTERN>',
  'what the value of a slot may be, as a whole (default: words without a slash); again for more',
  collect,
] as const;

const addCommandSetting = (set: Command, bind: Bind): void => {
  const command = set
    .command('command')
    .summary('allow a program, which runs without a shell')
    .description(
      'Allows a program. It runs without a shell, with an empty environment, in an empty directory that is removed afterwards; a value never begins with -, and stays within one argument.',
    )
    .argument('<NAME>', 'what a task or workflow calls it in x_command')
    .argument('<PROGRAM>', 'its absolute path')
    .argument('[ARGUMENTS...]', 'its arguments, after -- when they begin with -; {word} is a value from x_params')
    .option(...slotOption)
    .option('--timeout <S>', 'seconds that it may take (default: 60)', parseSeconds)
    .option('--max-output <BYTES>', 'bytes that it may write (default: 65536)', parseWhole(1024 * 1024))
    .action(
      bind(async (context, name: string, program: string, words: readonly string[], flags: CommandFlags) => {
        const setting = {
          argv: [program, ...words],
          slots: slotsOf(flags.slot),
          timeout_seconds: flags.timeout,
          max_output_bytes: flags.maxOutput,
        };
        await allow(context, { kind: 'command', name, setting });
      }),
    );
  withExamples(command, [
    "sheaf executor set command shout /usr/bin/figlet '{word}'",
    "sheaf executor set command thumb --slot 'file=[a-z0-9/]+[.]png' -- /usr/bin/convert /srv/{file} -resize 200x200 /srv/thumb.png",
  ]);
};

interface ServiceFlags extends CommandFlags {
  readonly method?: string;
  readonly header?: readonly string[];
  readonly secretHeader?: readonly string[];
  readonly body?: boolean;
  readonly maxBytes?: number;
  readonly loopback?: boolean;
}

const addServiceSetting = (set: Command, bind: Bind): void => {
  const command = set
    .command('service')
    .summary('allow one call of a service')
    .description(
      'Allows one call of a service. Its name is resolved once and must not lead to this machine or a network around it; no redirect is followed, and the answer is bounded and recorded as text from outside.',
    )
    .argument('<NAME>', 'what a task or workflow calls it in x_service')
    .argument('<URL>', 'its https address; {word} in the path is a value from x_params')
    .addOption(new Option('--method <M>', 'default: GET').choices(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']))
    .option('--header <NAME: VALUE>', 'a header of every call; again for more', collect)
    .option('--secret-header <NAME: SECRET>', 'a header whose value is a secret that `sheaf secret set` keeps for this origin', collect)
    .option('--body', 'send the values of the task as JSON')
    .option(...slotOption)
    .option('--timeout <S>', 'seconds that it may take (default: 30)', parseSeconds)
    .option('--max-bytes <BYTES>', 'bytes that an answer may have (default: 262144)', parseWhole(4 * 1024 * 1024))
    .option('--loopback', 'the service runs on this machine')
    .action(
      bind(async (context, name: string, address: string, flags: ServiceFlags) => {
        const { origin, path } = partsOf(address);
        const headers = [
          ...(flags.header ?? []).map(text => pairOf(text, ':', '--header')),
          ...(flags.secretHeader ?? [])
            .map(text => pairOf(text, ':', '--secret-header'))
            .map(([key, secret]) => [key, { secret }] as const),
        ];
        const setting = {
          origin,
          path,
          method: flags.method,
          headers: headers.length === 0 ? undefined : Object.fromEntries(headers),
          body: flags.body === true ? 'params' : undefined,
          slots: slotsOf(flags.slot),
          timeout_seconds: flags.timeout,
          max_bytes: flags.maxBytes,
          loopback: flags.loopback,
        };
        await allow(context, { kind: 'service', name, setting });
      }),
    );
  withExamples(command, [
    "sheaf executor set service weather 'https://api.example.com/v1/weather/{city}'",
    "sheaf executor set service order https://shop.example.com/v1/orders --method POST --body --secret-header 'authorization: shop-key'",
  ]);
};

const addCeilings = (set: Command, bind: Bind): void => {
  const command = set
    .command('assistant')
    .description('Sets what a run of an assistant may use up at most, whatever the vault says; what is not given goes back to its default.')
    .option('--steps <N>', 'turns of the model (default: 24)', parseWhole(1000))
    .option('--tokens <N>', 'tokens, read and written together (default: 200000)', parseWhole(100_000_000))
    .option('--seconds <S>', 'seconds (default: 900)', parseSeconds)
    .action(
      bind(async (context, setting: Readonly<Record<string, unknown>>) => {
        await allow(context, { kind: 'assistant', setting });
      }),
    );
  withExamples(command, ['sheaf executor set assistant --steps 10 --tokens 50000']);
};

const allow = async (
  context: CommandContext,
  input: { readonly kind: string; readonly name?: string; readonly setting: Readonly<Record<string, unknown>> },
): Promise<void> => {
  const { printer } = context;
  const setting = Object.fromEntries(Object.entries(input.setting).filter(([, value]) => value !== undefined));
  const set = await invoke(context, 'executor.set', { ...input, setting });
  await printer.value(set);
  await printer.line(
    `${printer.palette.good(set.replaced ? 'replaced' : 'allowed')}  ${visibleLine(`${set.kind} ${set.name ?? ''}`.trim())}`,
  );
};

const slotsOf = (given: readonly string[] | undefined): Readonly<Record<string, unknown>> | undefined =>
  given === undefined
    ? undefined
    : Object.fromEntries(given.map(text => pairOf(text, '=', '--slot')).map(([slot, pattern]) => [slot, { pattern }]));

const pairOf = (text: string, separator: string, option: string): readonly [string, string] => {
  const at = text.indexOf(separator);
  if (at <= 0) throw new UsageError(`${option} '${text}': write a name, then ${separator}, then its value`);
  return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
};

/** Origin and path as they were written: an address that is parsed would have its braces encoded. */
const partsOf = (address: string): { readonly origin: string; readonly path: string } => {
  const match = /^(https?:\/\/[^/?#]+)([/?].*)?$/.exec(address);
  if (match === null) throw new UsageError(`'${address}' is no address, such as https://api.example.com/v1/items/{id}`);
  const path = match[2] ?? '/';
  return { origin: match[1] ?? '', path: path.startsWith('/') ? path : `/${path}` };
};
