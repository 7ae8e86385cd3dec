import { Command, CommanderError } from 'commander';
import { configureCommandHelp, pointToHelp, withExamples } from './command-help.ts';
import { addCheckCommand } from './commands/check.ts';
import { addCompletionCommand } from './commands/completion.ts';
import { addConformanceCommand } from './commands/conformance.ts';
import { addDaemonCommand } from './commands/daemon.ts';
import { addDemoCommand } from './commands/demo.ts';
import { addDoctorCommand } from './commands/doctor.ts';
import { addDriftCommands } from './commands/drift.ts';
import { addEmbeddingCommands } from './commands/embedding.ts';
import { addExecCommand } from './commands/exec.ts';
import { addExecutorCommands } from './commands/executor.ts';
import { addExplainCommand } from './commands/explain.ts';
import { addHistoryCommands } from './commands/history.ts';
import { addHookCommands } from './commands/hook.ts';
import { addIndexCommands } from './commands/index-commands.ts';
import { addExportCommand } from './commands/index-export.ts';
import { indexGroup } from './commands/index-group.ts';
import { addInitCommand } from './commands/init.ts';
import { addLeaseCommands } from './commands/lease.ts';
import { addLinksCommand } from './commands/links.ts';
import { addMcpCommand } from './commands/mcp.ts';
import { addMemoryCommands } from './commands/memory.ts';
import { addModelCommands } from './commands/model.ts';
import { addMoveCommands } from './commands/move.ts';
import { addPastCommands } from './commands/past.ts';
import { addPrimitiveCommands } from './commands/primitive.ts';
import { addPrincipalCommands } from './commands/principal.ts';
import { addReadCommands } from './commands/read.ts';
import { addRegistryCommands } from './commands/registry.ts';
import { addRunsCommand } from './commands/runs.ts';
import { addSearchCommands } from './commands/search.ts';
import { addSecretCommands } from './commands/secret.ts';
import { addServeCommand } from './commands/serve.ts';
import { addSessionsCommand } from './commands/sessions.ts';
import { addTrustCommand } from './commands/trust.ts';
import { versionText } from './commands/version.ts';
import { addWorkCommands } from './commands/work.ts';
import { addWriteCommands } from './commands/write.ts';
import type { Bind } from './runner.ts';

/** Every command of `sheaf`, with its arguments, options, help and examples. Building it runs nothing. */
export const createProgram = (bind: Bind, argv: readonly string[]): Command => {
  const program = new Command('sheaf')
    .description('A workspace of plain Markdown that people and AI agents share without breaking it.')
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'sheaf: ')) })
    .option('--vault <DIR>', 'the vault (default: the nearest parent directory that holds .ssss/)')
    .option('--json', 'print JSON only: one value, or one per line')
    .option('--quiet', 'print results and errors, no remarks')
    .option('--as <ID>', 'act as a principal registered in the vault')
    .option('--principal <FILE>', 'act as the principal in a JSON file, or as none when it holds null')
    .option('--trusted-caller', 'allow --principal to name a system principal')
    .option('-V, --version', 'print the version (with --json also the version of the standard)')
    .helpOption('-h, --help', 'show help');
  withExamples(program, ['sheaf init my-vault', 'sheaf demo', 'sheaf ls --type memory', 'sheaf help patch']);
  configureCommandHelp(program);
  // Commander's own version option prints while it still reads the line and would not see a later --json.
  program.on('option:version', () => {
    process.stdout.write(`${versionText(argv.includes('--json'))}\n`);
    throw new CommanderError(0, 'sheaf.version', 'version');
  });

  program.commandsGroup('Start');
  addInitCommand(program, bind);
  addDemoCommand(program, bind);
  program.commandsGroup('Change documents');
  addWriteCommands(program, bind);
  addExecCommand(program, bind);
  addMoveCommands(program, bind);
  program.commandsGroup('Read documents');
  addReadCommands(program, bind);
  addSearchCommands(program, bind);
  program.commandsGroup('History');
  addHistoryCommands(program, bind);
  addPastCommands(program, bind);
  addSessionsCommand(program, bind);
  program.commandsGroup('Keep the vault sound');
  addCheckCommand(program, bind);
  addDriftCommands(program, bind);
  addIndexCommands(program, bind);
  addEmbeddingCommands(indexGroup(program), bind);
  addExportCommand(indexGroup(program), bind);
  addDoctorCommand(program, bind);
  addLinksCommand(program, bind);
  addMemoryCommands(program, bind);
  program.commandsGroup('Work');
  addWorkCommands(program, bind);
  addRunsCommand(program, bind);
  addDaemonCommand(program, bind);
  program.commandsGroup('Serve');
  addServeCommand(program, bind);
  addMcpCommand(program, bind);
  program.commandsGroup('Govern');
  addLeaseCommands(program, bind);
  addPrincipalCommands(program, bind);
  addHookCommands(program, bind);
  addModelCommands(program, bind);
  addExecutorCommands(program, bind);
  addSecretCommands(program, bind);
  addTrustCommand(program, bind);
  addRegistryCommands(program, bind);
  addPrimitiveCommands(program, bind);
  program.commandsGroup('More');
  addConformanceCommand(program, bind);
  addExplainCommand(program, bind);
  addCompletionCommand(program, bind);
  program.helpCommand('help [COMMAND]', 'show help for a command');
  pointToHelp(program, 'sheaf');
  return program;
};
