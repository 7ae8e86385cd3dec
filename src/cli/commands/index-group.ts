import type { Command } from 'commander';
import { withExamples } from '../command-help.ts';

/** `index`: the group of commands about what is derived from the vault (§10); several parts add theirs. */
export const indexGroup = (program: Command): Command => {
  const known = program.commands.find(command => command.name() === 'index');
  if (known !== undefined) return known;
  const group = program
    .command('index')
    .summary('what is derived from the vault: search, graph, vectors')
    .description('Everything here is derived from the documents and the log, and may be deleted and made again at any time.');
  withExamples(group, ['sheaf index status', 'sheaf index rebuild', 'sheaf index embed']);
  return group;
};
