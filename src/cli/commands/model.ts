import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { CliError, UsageError } from '../cli-error.ts';
import { type CommandContext, readTextInput } from '../command-context.ts';
import { withExamples } from '../command-help.ts';
import { type CallResult, invoke } from '../invoke.ts';
import { parseWhole } from '../option-values.ts';
import type { Cell } from '../output/table.ts';
import { visibleLine } from '../output/terminal-text.ts';
import type { Bind } from '../runner.ts';

/** `model ls|test|set|rm`: the language models of this machine (readings: models). */
export const addModelCommands = (program: Command, bind: Bind): void => {
  const group = program
    .command('model')
    .summary('say which language models there are')
    .description(
      'Sets the language models that assistants of this vault work with. They are kept on this machine, outside the vault; nothing needs one.',
    );
  withExamples(group, ['sheaf model ls --discover', 'sheaf model set local --base-url http://127.0.0.1:11434/v1 --model qwen3']);
  addList(group, bind);
  addSet(group, bind);
  const test = group
    .command('test')
    .description('Asks a model for one word and says what came back, or why nothing did.')
    .argument('<NAME>', 'as `sheaf model ls` prints it')
    .action(bind((context, name: string) => testModel(context, name)));
  withExamples(test, ['sheaf model test local']);
  const remove = group
    .command('rm')
    .description('Takes a model from this machine, with the key that was entered for it.')
    .argument('<NAME>', 'as `sheaf model ls` prints it')
    .action(
      bind(async (context, name: string) => {
        await context.printer.value(await invoke(context, 'model.remove', { name }));
        context.printer.note(`the model '${visibleLine(name)}' is not set any more`);
      }),
    );
  withExamples(remove, ['sheaf model rm local']);
};

const addList = (group: Command, bind: Bind): void => {
  const list = group
    .command('ls')
    .description('Lists the models that are set, where they are asked, and what keeps one from being asked. Nothing is sent.')
    .option('--discover', 'also ask the usual ports of this machine for endpoints; they are offered, never chosen')
    .action(
      bind(async (context, { discover }: { readonly discover?: boolean }) => {
        const { printer } = context;
        const { models, found } = await invoke(context, 'model.list', { discover });
        for (const model of models) await printer.value(model);
        for (const endpoint of found) await printer.value({ found: true, ...endpoint });
        await printer.table(models.map((model): Cell[] => modelCells(model, context)));
        if (printer.json) return;
        for (const { usually, base_url, models: names } of found) {
          await printer.line(
            `${printer.palette.dim('found')}  ${visibleLine(base_url)}  ${visibleLine(`${usually}: ${names.join(', ') || 'no models'}`)}`,
          );
        }
        if (models.length === 0) printer.note('no language model is set; `sheaf help model set` says how, and nothing needs one');
        if (discover === true && found.length === 0) printer.note('nothing answers on the usual ports of this machine');
      }),
    );
  withExamples(list, ['sheaf model ls', 'sheaf model ls --discover']);
};

const modelCells = (model: CallResult<'model.list'>['models'][number], { printer }: CommandContext): Cell[] => [
  { text: visibleLine(model.name), style: printer.palette.strong },
  { text: visibleLine(model.provider === 'scripted' ? 'scripted' : `${model.provider} ${model.model}`) },
  { text: visibleLine(model.place) },
  model.problem === null
    ? {
        text: visibleLine([...(model.key === null ? [] : [`key ${model.key}`]), ...model.for.map(name => `for ${name}`)].join(' ')),
        style: printer.palette.dim,
      }
    : { text: visibleLine(model.problem), style: printer.palette.warn },
];

interface SetFlags {
  readonly provider?: string;
  readonly baseUrl?: string;
  readonly model?: string;
  readonly keyEnv?: string;
  readonly keyStdin?: boolean;
  readonly script?: string;
  readonly for?: readonly string[];
  readonly timeout?: number;
}

const addSet = (group: Command, bind: Bind): void => {
  const set = group
    .command('set')
    .summary('set a model: an endpoint, or a script for tests and demonstrations')
    .description(
      'Sets a model: an OpenAI-compatible endpoint (Ollama, LM Studio, llama.cpp, vLLM, or a hosted one), Anthropic, or a script that is played back for tests and demonstrations. What the vault holds is sent to that address when an assistant works with it. A key is sent to the origin of --base-url and nowhere else.',
    )
    .argument('<NAME>', 'a name of your own, such as local; an assistant that names no model gets `default`, or the only one')
    .option('--base-url <U>', 'the endpoint without /chat/completions, such as http://127.0.0.1:11434/v1')
    .option('--model <M>', 'the name of the model at the endpoint')
    .addOption(
      new Option('--provider <P>', 'how the endpoint speaks (default: openai-compatible)').choices(['openai-compatible', 'anthropic']),
    )
    .option('--key-env <V>', 'the environment variable that holds the key')
    .option('--key-stdin', 'read the key from standard input and keep it among the secrets of this machine')
    .option('--script <FILE>', 'in place of an endpoint: play back this script')
    .option('--for <NAME...>', 'names that documents use for it, beside its own; * = every name that nothing else has')
    .option('--timeout <S>', 'seconds to wait for a turn (default: 120)', parseWhole(3600))
    .action(bind((context, name: string, flags: SetFlags) => setModel(context, name, flags)));
  withExamples(set, [
    'sheaf model set local --base-url http://127.0.0.1:11434/v1 --model qwen3',
    'sheaf model set hosted --base-url https://api.example.com/v1 --model large --key-env EXAMPLE_KEY',
    'sheaf model set claude --provider anthropic --base-url https://api.anthropic.com/v1 --model NAME --key-env ANTHROPIC_API_KEY',
    'sheaf model set scripted --script digest.json --for example/large-model',
  ]);
};

const setModel = async (context: CommandContext, name: string, flags: SetFlags): Promise<void> => {
  const { printer } = context;
  if ((flags.script === undefined) === (flags.baseUrl === undefined || flags.model === undefined))
    throw new UsageError('name either an endpoint with --base-url and --model, or a script with --script');
  const key = flags.keyStdin === true ? (await readTextInput(undefined, context)).trim() : undefined;
  const set = await invoke(context, 'model.set', {
    name,
    provider: flags.provider,
    base_url: flags.baseUrl,
    model: flags.model,
    key_env: flags.keyEnv,
    key,
    script: flags.script === undefined ? undefined : resolve(flags.script),
    for: flags.for,
    timeout_seconds: flags.timeout,
  });
  await printer.value(set);
  await printer.line(`${printer.palette.good(set.replaced ? 'replaced' : 'set')}  ${visibleLine(`${set.name}  ${set.place}`)}`);
  if (set.problem !== null) printer.note(visibleLine(set.problem));
  if (set.provider === 'scripted') printer.note('a script only plays back what was written; whatever shows its words says so');
};

const testModel = async (context: CommandContext, name: string): Promise<void> => {
  const { printer } = context;
  const tested = await invoke(context, 'model.test', { name });
  await printer.value(tested);
  if (!tested.ok) throw new CliError('model_unavailable', tested.reason ?? 'the model gave no turn');
  const tokens = tested.output_tokens === null ? '' : `, ${tested.output_tokens} tokens`;
  await printer.line(
    `${printer.palette.good('answers')}  ${visibleLine(tested.said ?? '')}  ${printer.palette.dim(`${tested.scripted ? 'from a script, ' : ''}${tested.milliseconds} ms${tokens}`)}`,
  );
};
