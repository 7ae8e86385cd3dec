import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { initVault } from '#open-vault';
import { withExamples } from '../command-help.ts';
import { visibleLine } from '../output/terminal-text.ts';
import type { Bind } from '../runner.ts';
import { fillWithSample } from '../sample/fill-with-sample.ts';
import { trustOwnVault } from '../trust-own-vault.ts';
import { surroundingVault } from '../vault-session.ts';

interface InitOptions {
  readonly workspace?: string;
  readonly sample?: boolean;
  readonly git?: boolean;
}

/** `sheaf init`: makes a vault. */
export const addInitCommand = (program: Command, bind: Bind): void => {
  const command = program
    .command('init')
    .summary('make a vault')
    .description('Makes a vault in a directory. Other files may stand there already and stay as they are.')
    .argument('[DIR]', 'where (default: here)')
    .option('--workspace <ID>', 'the id of the workspace (default: the name of the directory)')
    .option('--sample', 'fill it with a small realistic workspace')
    .option('--git', 'also make a git repository')
    .action(
      bind(async (context, directory: string | undefined, options: InitOptions) => {
        const { printer } = context;
        const { workspace, sample = false, git = false } = options;
        const target = resolve(directory ?? context.globals.vault ?? '.');
        const around = surroundingVault(dirname(target));
        if (around !== null)
          printer.note(`careful: this lies inside the vault ${visibleLine(around)}, which will see its documents as its own`);
        const made = await initVault({
          root: target,
          git,
          ...(workspace === undefined ? {} : { workspaceId: workspace }),
        });
        await trustOwnVault(made.root, context);
        const filled = sample ? await fillWithSample(made.root, context) : { documents: 0, events: 0 };
        await printer.value({ root: made.root, workspace_id: made.workspaceId, ...filled });
        const { good, strong } = printer.palette;
        const content = sample ? ` with ${filled.documents} documents and ${filled.events} events` : '';
        await printer.line(`${good('made')}  ${strong(visibleLine(made.root))}  workspace ${visibleLine(made.workspaceId)}${content}`);
        printer.note(
          sample
            ? 'next: cd there, then `sheaf ls`, `sheaf search kettle`, `sheaf log`, `sheaf daemon --next`'
            : 'next: `sheaf write notes/first.md` (see `sheaf help write`); look around in `sheaf demo`',
        );
      }),
    );
  withExamples(command, ['sheaf init my-vault', 'sheaf init --sample --git shop', 'sheaf init my-vault --workspace acme']);
};
