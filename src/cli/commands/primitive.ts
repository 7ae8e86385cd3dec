import { randomUUID } from 'node:crypto';
import { type Command, Option } from 'commander';
import { SilentExit } from '../cli-error.ts';
import { withExamples } from '../command-help.ts';
import { failedStatus } from '../exit-code.ts';
import { invoke } from '../invoke.ts';
import { visibleLine } from '../output/terminal-text.ts';
import { complainAbout, issueLine } from '../render/complaint.ts';
import { printResponse } from '../render/response.ts';
import type { Bind } from '../runner.ts';

interface NewOptions {
  readonly name?: string;
  readonly portability?: string;
  readonly append?: boolean;
  readonly dryRun?: boolean;
}

/** `primitive new|check|activate`: types of one's own (§5.4 `primitive`, §5.6). */
export const addPrimitiveCommands = (program: Command, bind: Bind): void => {
  const group = program
    .command('primitive')
    .summary('make types of your own')
    .description('Describes a type in a `primitive` document, checks it, and makes it part of the registry.');
  withExamples(group, ['sheaf primitive new shop:invoice --name Invoice', 'sheaf primitive activate primitives/shop/invoice.md']);

  const create = group
    .command('new')
    .description('Writes a `primitive` document to start from, at primitives/<namespace>/<id>.md.')
    .argument('<ID>', '<namespace>:<id>, such as shop:invoice')
    .option('--name <NAME>', 'its name for people (default: the id)')
    .addOption(new Option('--portability <CLASS>', 'its portability class').choices(['structural', 'resource_bound', 'tenant_private']))
    .option('--append', 'bodies of this type are only appended to')
    .option('--dry-run', 'check everything, change nothing')
    .action(
      bind(async (context, id: string, options: NewOptions) => {
        const { name, portability, append, dryRun } = options;
        const made = await invoke(context, 'primitive.new', {
          primitive_id: id,
          name,
          portability,
          append,
          idempotency_key: randomUUID(),
          timestamp: new Date().toISOString(),
          dry_run: dryRun,
        });
        const { printer } = context;
        await printer.value(made);
        // One JSON value in JSON mode: the answer of the call, which holds the response.
        await printResponse(made.response, { ...printer, value: async () => undefined });
        if (dryRun === true) await printer.line(visibleLine(made.content).replaceAll('\\n', '\n'));
        else printer.note(`next: edit it, then \`sheaf primitive check ${made.path}\` and \`sheaf primitive activate ${made.path}\``);
      }),
    );
  withExamples(create, ['sheaf primitive new shop:invoice --name Invoice --portability tenant_private']);

  const check = group
    .command('check')
    .description('Says whether a `primitive` document could be activated, and why not.')
    .argument('<PATH>', 'the primitive document')
    .action(
      bind(async (context, path: string) => {
        const { printer } = context;
        const found = await invoke(context, 'primitive.check', { path });
        await printer.value(found);
        for (const problem of found.problems)
          await printer.line(`${printer.palette.bad('error')}  ${visibleLine(issueLine(problem, path))}`);
        if (!found.valid) {
          complainAbout(printer, 'checks_failed', `${path} cannot be activated`, []);
          throw new SilentExit(failedStatus);
        }
        await printer.line(
          `${printer.palette.good('ready')}  ${found.changes ? `activating it would change ${found.file}` : `already active in ${found.file}`}`,
        );
      }),
    );
  withExamples(check, ['sheaf primitive check primitives/shop/invoice.md']);

  const activate = group
    .command('activate')
    .description('Makes a `primitive` document part of the registry: its extension file, workspace.json and, where there is one, the lock.')
    .argument('<PATH>', 'the primitive document')
    .action(
      bind(async (context, path: string) => {
        const { printer } = context;
        const done = await invoke(context, 'primitive.activate', { path });
        await printer.value(done);
        await printer.line(
          `${printer.palette.good(done.changed ? 'activated' : 'already active')}  ${visibleLine(path)}  ${printer.palette.dim(done.file)}`,
        );
      }),
    );
  withExamples(activate, ['sheaf primitive activate primitives/shop/invoice.md']);
};
