import { createInterface } from 'node:readline/promises';
import { SilentExit } from './cli-error.ts';
import type { CommandContext } from './command-context.ts';
import { interruptedStatus, untilAborted } from './interrupt.ts';
import { visibleLine } from './output/terminal-text.ts';

/** Whether somebody is there to be asked; a pipe never is. */
export const canAsk = (): boolean => process.stdin.isTTY === true && process.stderr.isTTY === true;

/** Asks a yes-or-no question on the terminal; anything but yes is no. */
export const askYesNo = async (context: CommandContext, question: string): Promise<boolean> => {
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await untilAborted(prompt.question(`${visibleLine(question)} [y/N] `), context.signal);
    return /^y(es)?$/i.test(answer.trim());
  } catch (error) {
    // On a terminal the prompt takes Ctrl-C itself, before any signal.
    if (error instanceof Error && error.name === 'AbortError') throw new SilentExit(interruptedStatus);
    throw error;
  } finally {
    prompt.close();
  }
};
