import { Argument, type Command } from 'commander';
import { withExamples } from '../command-help.ts';
import { completionScript, type Shell, shells } from '../completion.ts';
import type { Bind } from '../runner.ts';

/** `sheaf completion`: a script that teaches a shell the commands and options. */
export const addCompletionCommand = (program: Command, bind: Bind): void => {
  const command = program
    .command('completion')
    .summary('print a completion script for a shell')
    .description('Prints a script that completes commands and options in bash, zsh or fish.')
    .addArgument(new Argument('<SHELL>', 'bash, zsh or fish').choices([...shells]))
    .action(bind(async ({ printer }, shell: Shell) => printer.raw(completionScript(program, shell))));
  withExamples(command, [
    'source <(sheaf completion bash)',
    'sheaf completion zsh > ~/.zfunc/_sheaf',
    'sheaf completion fish > ~/.config/fish/completions/sheaf.fish',
  ]);
};
