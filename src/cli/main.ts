import { CommanderError } from 'commander';
import { SilentExit, UsageError } from './cli-error.ts';
import { checkMachine } from './doctor/machine-checks.ts';
import { failedStatus, usageStatus } from './exit-code.ts';
import { watchInterruption } from './interrupt.ts';
import { createPrinter } from './output/printer.ts';
import { complain } from './render/complaint.ts';
import type { Runner } from './runner.ts';

/**
 * The `sheaf` command: runs one command line and sets the exit status (0 done, 1 refused or failed, 2 wrong usage, 130 interrupted).
 *
 * @example await main(['ls', '--type', 'memory'])
 */
export const main = async (argv: readonly string[]): Promise<void> => {
  const interruption = watchInterruption();
  let runner: Runner | null = null;
  let status = 0;
  try {
    const loaded = await loadCommands();
    runner = loaded.createRunner(interruption.signal);
    const program = loaded.createProgram(runner.bind, argv);
    if (argv.length === 0) program.outputHelp();
    else await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    status = statusOf(await withMachine(error), argv);
  }
  try {
    await runner?.close();
  } catch (error) {
    status = Math.max(status, statusOf(error, argv));
  }
  const asked = interruption.status();
  // What still runs after an interruption is waited for by nobody; every commit is safe against that.
  if (asked !== null) process.exit(asked);
  interruption.dispose();
  process.exitCode = status;
};

/** Loaded late, so that whatever keeps a module from loading ends in an explanation, not in a stack trace. */
const loadCommands = async () => {
  const [{ createProgram }, { createRunner }] = await Promise.all([import('./program.ts'), import('./runner.ts')]);
  return { createProgram, createRunner };
};

/** What failed because a native module cannot be loaded, as an explanation; any other error as it is. */
const withMachine = async (error: unknown): Promise<unknown> => {
  const said = error instanceof Error ? `${error.message}\n${error.stack}` : '';
  if (!/better-sqlite3|fs-native-extensions|bindings file/.test(said)) return error;
  const findings = await checkMachine(process.cwd());
  const broken = findings
    .filter(finding => finding.status === 'problem')
    .map(finding => `\n  ${finding.check}: ${finding.detail}\n    → ${finding.remedy}`);
  return broken.length === 0 ? error : new Error(`sheaf cannot start on this machine:${broken.join('')}`, { cause: error });
};

const statusOf = (error: unknown, argv: readonly string[]): number => {
  if (error instanceof SilentExit) return error.status;
  // Commander has said what is wrong; for help and version it asks for 0.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : usageStatus;
  const printer = createPrinter(
    { json: argv.includes('--json'), quiet: argv.includes('--quiet') },
    { out: process.stdout, err: process.stderr },
  );
  complain(error, printer);
  return error instanceof UsageError ? usageStatus : failedStatus;
};
