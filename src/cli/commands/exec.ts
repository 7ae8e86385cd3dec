import { createReadStream } from 'node:fs';
import type { Command } from 'commander';
import { execEnvelopes, readJsonItems } from '#api';
import { CliError, SilentExit } from '../cli-error.ts';
import { withExamples } from '../command-help.ts';
import { failedStatus } from '../exit-code.ts';
import { parseWhole } from '../option-values.ts';
import type { Bind } from '../runner.ts';

/** `sheaf exec`: envelopes in, one response per line out. */
export const addExecCommand = (program: Command, bind: Bind): void => {
  const command = program
    .command('exec')
    .summary('run envelopes from a stream')
    .description(
      'Reads envelopes (JSON Lines, single JSON values, or one array) and prints one response per line, in input order. A line is an envelope or {"envelope": …, "if_match"?, "correlation_id"?, "causation_id"?}. Exits with 1 if any was refused.',
    )
    .argument('[FILE]', 'where to read (default: standard input)')
    .option('--concurrency <N>', 'how many envelopes run at once; those with the same path or key keep their order', parseWhole(4096), 64)
    .action(
      bind(
        async (context, file: string | undefined, options: { readonly concurrency: number }) => {
          const { printer, signal } = context;
          const vault = await context.vault();
          const { principal } = await context.caller();
          const counts = { done: 0, refused: 0 };
          await execEnvelopes(vault, readJsonItems(openInput(file, signal)), {
            principal,
            signal,
            concurrency: options.concurrency,
            emit: async response => {
              counts[response.success ? 'done' : 'refused'] += 1;
              await printer.raw(`${JSON.stringify(response)}\n`);
            },
          });
          printer.note(`${counts.done} done, ${counts.refused} refused`);
          if (counts.refused > 0) throw new SilentExit(failedStatus);
        },
        { finishes: true },
      ),
    );
  withExamples(command, [
    'sheaf exec envelopes.jsonl',
    `printf '%s' '{"type":"event","workspace_id":"my-vault","idempotency_key":"e1","path":"shop/door","content":"{}"}' | sheaf exec`,
    'sheaf exec --as agent:writer --concurrency 8 < envelopes.jsonl',
  ]);
};

// When interrupted the input ends where it is: what was read is finished, nothing more is taken.
async function* openInput(file: string | undefined, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const stream = file === undefined || file === '-' ? process.stdin : createReadStream(file);
  const stop = (): void => void stream.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const chunk of stream) yield chunk as Uint8Array;
  } catch (error) {
    if (signal.aborted) return;
    throw new CliError('unreadable_input', `cannot read '${file ?? 'standard input'}': ${(error as Error).message}`, { cause: error });
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
