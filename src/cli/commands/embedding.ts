import type { Command } from 'commander';
import { isVaultError, reasonOf } from '#errors';
import { CliError, UsageError } from '../cli-error.ts';
import type { CommandContext } from '../command-context.ts';
import { withExamples } from '../command-help.ts';
import { type EndpointFlags, type LocalFlags, setEndpoint, setLocalModel, switchEmbedderOff } from '../embedder-setting.ts';
import { type CallResult, invoke } from '../invoke.ts';
import { parseWhole } from '../option-values.ts';
import { createProgressLine } from '../output/progress-line.ts';
import { visibleLine } from '../output/terminal-text.ts';
import type { Bind } from '../runner.ts';

/** `index embed` and `index embedder`: search by meaning (§11.3). */
export const addEmbeddingCommands = (index: Command, bind: Bind): void => {
  addEmbed(index, bind);
  const embedder = index
    .command('embedder')
    .summary('show or choose the embedding model')
    .description('Shows or chooses the embedding model of this vault on this machine; without one search works with words alone.');
  withExamples(embedder, ['sheaf index embedder', 'sheaf index embedder set --base-url http://127.0.0.1:11434/v1 --model bge-m3']);
  const show = embedder
    .command('show', { isDefault: true })
    .description('Shows the embedding model of this vault on this machine, where text is sent, and whether its vectors are level.')
    .action(bind(context => showEmbedder(context)));
  withExamples(show, ['sheaf index embedder', 'sheaf index embedder --json']);
  addSet(embedder, bind);
  const off = embedder
    .command('off')
    .description('Removes the setting; vectors stay until another model has made its own. Search goes on with words alone.')
    .action(bind(context => switchEmbedderOff(context)));
  withExamples(off, ['sheaf index embedder off']);
  const trial = embedder
    .command('test')
    .summary('ask the model for one question in eight languages')
    .description(
      'Asks the model for one question in eight languages and shows how near they come to each other; a multilingual model puts each nearer to the question than another sentence is.',
    )
    .action(bind(context => tryEmbedder(context)));
  withExamples(trial, ['sheaf index embedder test']);
};

const addEmbed = (index: Command, bind: Bind): void => {
  const command = index
    .command('embed')
    .description(
      'Embeds every document that has no vectors for its content yet. May be interrupted and run again at any time; it goes on where it stopped.',
    )
    .option('--rebuild', 'make every vector anew')
    .action(bind((context, options: { readonly rebuild?: boolean }) => embed(context, options.rebuild === true), { finishes: true }));
  withExamples(command, ['sheaf index embed', 'sheaf index embed --rebuild']);
};

const addSet = (embedder: Command, bind: Bind): void => {
  const command = embedder
    .command('set')
    .summary('choose the model: an OpenAI-compatible endpoint, or a directory on this machine')
    .description(
      'Chooses the embedding model for this vault on this machine: any OpenAI-compatible endpoint, or a directory for transformers.js. Only structural documents are embedded unless --private allows more. The key of an endpoint is read from an environment variable each time and sent to this address only.',
    )
    .option('--base-url <U>', 'the endpoint without /embeddings, such as http://127.0.0.1:11434/v1')
    .option('--model <M>', 'the name of the model at the endpoint')
    .option('--key-env <V>', 'the environment variable that holds the key')
    .option('--dimension <N>', 'ask for vectors of so many numbers, and take no others', parseWhole(65_536))
    .option('--timeout <S>', 'seconds to wait for an answer', parseWhole(3600))
    .option('--local <DIR>', 'a model on this machine: a directory with config.json, tokenizer.json and onnx/')
    .option('--pooling <P>', 'with --local: mean, cls or last_token')
    .option('--dtype <D>', 'with --local: the precision of the weights, as transformers.js names it')
    .option('--library <DIR>', 'with --local: the directory in whose node_modules @huggingface/transformers is installed')
    .option('--query-prefix <T>', 'put before every question, as models of the e5 family want it')
    .option('--document-prefix <T>', 'put before every document')
    .option('--batch <N>', 'texts of one request', parseWhole(2048))
    .option('--private [ORIGIN]', 'embed documents of private classes, too; for an endpoint beyond this machine name its origin')
    .action(
      bind(async (context, flags: EndpointFlags & LocalFlags) => {
        if ((flags.baseUrl === undefined) === (flags.local === undefined))
          throw new UsageError('name either an endpoint with --base-url and --model, or a directory with --local');
        await (flags.local === undefined ? setEndpoint(context, flags) : setLocalModel(context, flags));
      }),
    );
  withExamples(command, [
    'sheaf index embedder set --base-url http://127.0.0.1:11434/v1 --model bge-m3',
    'sheaf index embedder set --base-url https://api.example.com/v1 --model embed-large --key-env EXAMPLE_KEY',
    "sheaf index embedder set --local models/multilingual-e5-small --query-prefix 'query: ' --document-prefix 'passage: '",
  ]);
};

const embed = async (context: CommandContext, rebuild: boolean): Promise<void> => {
  const { printer, signal } = context;
  // Says whether the caller may; what follows is this process's own work, so that it can be watched and interrupted.
  await invoke(context, 'index.embedder', {});
  const vault = await context.vault();
  const progress = createProgressLine('embedding', { stream: process.stderr, quiet: printer.quiet });
  const report = await askingModel(
    context,
    vault.embeddings.embed({ rebuild, signal, onProgress: ({ done, total }) => progress.update(done, total) }),
  ).finally(() => progress.end());
  await printer.value(report);
  for (const { path, reason } of report.failed)
    printer.note(`${printer.errorPalette.warn('not embedded:')} ${visibleLine(`${path}: ${reason}`)}`);
  const now = `${report.embedded} embedded, ${report.total - report.missing} of ${report.total} documents have vectors`;
  await printer.line(`${now}  ${printer.palette.dim(visibleLine(`${report.model}, ${report.dimension} numbers`))}`);
};

/** What a model does wrong is no fault of this program; it gets a name of its own. */
const askingModel = async <T>({ signal }: CommandContext, asking: Promise<T>): Promise<T> => {
  try {
    return await asking;
  } catch (error) {
    if (isVaultError(error) || signal.aborted) throw error;
    throw new CliError('model_unavailable', reasonOf(error), { cause: error });
  }
};

const showEmbedder = async (context: CommandContext): Promise<void> => {
  const { printer } = context;
  const shown = await invoke(context, 'index.embedder', {});
  await printer.value(shown);
  for (const [label, text] of embedderLines(shown)) await printer.line(`${printer.palette.dim(label.padEnd(9))}  ${visibleLine(text)}`);
  if (shown.model === null)
    printer.note(
      'search works with words alone; `sheaf index embedder set` chooses an endpoint, such as Ollama on this machine (http://127.0.0.1:11434/v1), LM Studio (port 1234), llama.cpp (8080) or vLLM (8000)',
    );
};

const embedderLines = (shown: CallResult<'index.embedder'>): readonly (readonly [string, string])[] => {
  const state = shown.reason === null ? shown.state : `${shown.state}: ${shown.reason}`;
  if (shown.model === null) return [['state', state]];
  return [
    ['model', shown.dimension === null ? shown.model : `${shown.model}, ${shown.dimension} numbers`],
    ['place', `${shown.place ?? 'this program'}${shown.hosted ? ' (text leaves this machine)' : ''}`],
    ['private', shown.private ? 'documents of private classes are embedded, too' : 'only structural documents are embedded'],
    ['state', state],
    ['vectors', `${shown.documents - shown.missing} of ${shown.documents} documents`],
  ];
};

const tryEmbedder = async (context: CommandContext): Promise<void> => {
  const { printer, signal } = context;
  await invoke(context, 'index.embedder', {});
  const trial = await askingModel(context, (await context.vault()).embeddings.tryOut(signal));
  await printer.value(trial);
  await printer.line(`${visibleLine(trial.model)}: ${trial.dimension} numbers, ${trial.milliseconds} ms`);
  for (const { language, same, other } of trial.pairs) {
    const { good, warn } = printer.palette;
    await printer.line(`  ${language}  ${(same > other ? good : warn)(same.toFixed(3))}  another sentence ${other.toFixed(3)}`);
  }
};
