import type { RecoveryReport, Vault } from '#api';
import { findVault, openVault, WorkspaceError } from '#open-vault';
import type { GlobalOptions, OpenOptions } from './command-context.ts';
import type { Printer } from './output/printer.ts';
import { visibleLine } from './output/terminal-text.ts';

/** The vault that `--vault` names, or the nearest parent of the working directory that holds `.ssss/`. */
export const findVaultRoot = (globals: Pick<GlobalOptions, 'vault'>): string => globals.vault ?? findVault(process.cwd());

/** The vault that a directory lies in, or null. */
export const surroundingVault = (directory: string): string | null => {
  try {
    return findVault(directory);
  } catch (error) {
    if (error instanceof WorkspaceError && error.code === 'no_vault') return null;
    throw error;
  }
};

/** Opens a vault and says, once, what opening it had to mend (§6.3) or found wrong; closing it says what came up since. */
export const openVaultAt = async (root: string, printer: Printer, options: OpenOptions = {}): Promise<Vault> => {
  const vault = await openVault({ root, ...options });
  const { warn } = printer.errorPalette;
  for (const report of vault.recoveries) if (report.outcome !== 'in_flight') printer.note(`${warn('recovered:')} ${recoveryText(report)}`);
  const said = new Set<string>();
  const sayNotices = (): void => {
    // What the configuration holds in vain is for `status` and `doctor`; saying it with every command would train people not to read.
    for (const { kind, message } of vault.notices()) {
      if (kind === 'configuration' || said.has(message)) continue;
      said.add(message);
      printer.note(`${warn('notice:')} ${visibleLine(message)}`);
    }
  };
  sayNotices();
  const close = async (): Promise<void> => {
    // Some damage is met only by a write: the half line that a crash left at the end of the log, for one.
    sayNotices();
    await vault.close();
  };
  return { ...vault, close };
};

const outcomeTexts = {
  committed: 'was complete: its event is in the log',
  rolled_back: 'was half done: the text before it is restored, the request may be sent again',
  discarded: 'had not begun: nothing changed, the request may be sent again',
  conflict: 'was half done and the file was changed since: your edit is kept, the intent is set aside',
  in_flight: 'is being written by a live process',
} as const satisfies Record<RecoveryReport['outcome'], string>;

/** What became of one leftover commit, for people. */
const recoveryText = (report: RecoveryReport): string => {
  const kept = report.kept_at === undefined ? '' : ` (${report.kept_at})`;
  return visibleLine(`${report.path}: an interrupted write ${outcomeTexts[report.outcome]}${kept}`);
};
