import type { Command } from 'commander';
import { type TrustReport, vaultTrust } from '#open-vault';
import { askYesNo, canAsk } from '../ask.ts';
import { CliError, SilentExit, UsageError } from '../cli-error.ts';
import type { CommandContext } from '../command-context.ts';
import { withExamples } from '../command-help.ts';
import { failedStatus } from '../exit-code.ts';
import { visibleLine } from '../output/terminal-text.ts';
import type { Bind } from '../runner.ts';
import { findVaultRoot } from '../vault-session.ts';

/** `sheaf trust`: accept what a vault from elsewhere brings along (identity: a vault from elsewhere). */
export const addTrustCommand = (program: Command, bind: Bind): void => {
  const command = program
    .command('trust')
    .summary('accept what a vault from elsewhere brings along')
    .description(
      "Lists the vault's extensions, roles and workflows, and accepts them on this machine after asking. Until then everything can be read and written, but roles grant nothing and extensions cannot lower what their types ask for. What is changed elsewhere later must be accepted again.",
    )
    .option('--list', 'only list, accept nothing')
    .option('--yes', 'accept without asking')
    .action(bind((context, options: { readonly list?: boolean; readonly yes?: boolean }) => runTrust(context, options)));
  withExamples(command, ['sheaf trust --list', 'sheaf trust']);
};

const runTrust = async (context: CommandContext, options: { readonly list?: boolean; readonly yes?: boolean }): Promise<void> => {
  const { printer, globals } = context;
  // An agent that speaks for itself must not accept anything in the name of the person.
  if (globals.as !== undefined || globals.principal !== undefined)
    throw new UsageError('only the person at this terminal can trust a vault: leave out --as and --principal');
  // Read once: what is accepted is what was shown.
  const report = vaultTrust({ root: findVaultRoot(globals) });
  const documents = await deciding(context);
  await show(context, report, documents);
  if (options.list === true || report.trusted) return;
  if (options.yes !== true) {
    if (!canAsk()) throw new CliError('confirmation_needed', 'nobody can be asked here: look at the list, then add --yes');
    if (!(await askYesNo(context, 'Accept all of this on this machine?'))) throw new SilentExit(failedStatus);
  }
  await report.accept();
  printer.note(`${printer.errorPalette.good('trusted')}: servers of this vault that are running must be started again`);
};

const decidingTypes = ['role', 'security_role', 'workflow', 'trigger', 'assistant', 'skill'] as const;

/** The documents that decide about rights, or that will act by themselves. */
const deciding = async (context: CommandContext): Promise<readonly { readonly path: string; readonly type: string }[]> => {
  const vault = await context.vault({ acceptRegistryDrift: true });
  const found: { path: string; type: string }[] = [];
  const types = new Set(decidingTypes.map(type => vault.registry.resolve(type)?.qualified));
  for await (const { path, type } of vault.list()) if (type !== null && types.has(type)) found.push({ path, type });
  return found;
};

const show = async (
  { printer }: CommandContext,
  { trusted, extensions }: TrustReport,
  documents: readonly { readonly path: string; readonly type: string }[],
): Promise<void> => {
  const { strong, dim, good, warn } = printer.palette;
  await printer.value({ trusted, extensions, documents });
  for (const extension of extensions) {
    const state = extension.trusted ? good('accepted') : warn('not accepted');
    await printer.line(`extension  ${strong(`${extension.id} ${extension.version}`)}  ${state}  ${dim(extension.hash)}`);
    for (const { type, capabilities } of extension.types) {
      const asks = Object.entries(capabilities).map(([action, needed]) => `${action} needs ${needed.join(' and ')}`);
      await printer.line(`             ${visibleLine(type)}${asks.length === 0 ? '' : `: ${visibleLine(asks.join('; '))}`}`);
    }
  }
  for (const { path, type } of documents) await printer.line(`${type.replace(/^ssss:/, '').padEnd(9)}  ${visibleLine(path)}`);
  if (trusted) printer.note('accepted on this machine');
  else if (extensions.length + documents.length === 0) printer.note('nothing in this vault needs consent yet');
};
