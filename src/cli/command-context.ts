import { readFileSync } from 'node:fs';
import type { Caller, Vault } from '#api';
import { CliError } from './cli-error.ts';
import { untilAborted } from './interrupt.ts';
import type { Printer } from './output/printer.ts';

/** Options that every command takes. */
export interface GlobalOptions {
  readonly vault?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly as?: string;
  readonly principal?: string;
  readonly trustedCaller?: boolean;
}

export interface OpenOptions {
  /** Open although the registry differs from its lock; for the commands that look at or mend that. */
  readonly acceptRegistryDrift?: boolean;
}

/** What a command works with; one per run of the program. */
export interface CommandContext {
  readonly printer: Printer;
  readonly globals: GlobalOptions;
  /** Aborted when the command should finish what it began and stop. */
  readonly signal: AbortSignal;
  /** The vault of this command, opened on the first call and closed when the command ends. */
  readonly vault: (options?: OpenOptions) => Promise<Vault>;
  /** Who the command acts as in that vault. */
  readonly caller: () => Promise<Caller>;
  /** A vault at another place (`init`, `demo`), closed likewise. */
  readonly openAt: (root: string) => Promise<Vault>;
}

/** Reads a file named on the command line; `-` or nothing is standard input. */
const readInput = async (file: string | undefined, context: CommandContext): Promise<Buffer> => {
  if (file === undefined || file === '-') return readStandardInput(context);
  try {
    return readFileSync(file);
  } catch (error) {
    throw new CliError('unreadable_input', `cannot read '${file}': ${(error as Error).message}`, { cause: error });
  }
};

/** The same as text; bytes that are not UTF-8 are refused rather than replaced. */
export const readTextInput = async (file: string | undefined, context: CommandContext): Promise<string> => {
  const bytes = await readInput(file, context);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new CliError('unreadable_input', `${file ?? 'standard input'} is not UTF-8 text`, { cause: error });
  }
};

const readStandardInput = (context: CommandContext): Promise<Buffer> => {
  if (process.stdin.isTTY) context.printer.note('reading from the terminal; end with Ctrl-D on a line of its own');
  const reading = async (): Promise<Buffer> => {
    const chunks: Buffer[] = [];
    for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  };
  return untilAborted(reading(), context.signal);
};
