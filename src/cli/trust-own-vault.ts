import { reasonOf } from '#errors';
import { vaultTrust } from '#open-vault';
import type { CommandContext } from './command-context.ts';
import { visibleLine } from './output/terminal-text.ts';

/** Notes on this machine that a vault just made here needs no `sheaf trust`: whoever made it has nothing in it to be warned of. */
export const trustOwnVault = async (root: string, { printer }: CommandContext): Promise<void> => {
  try {
    await vaultTrust({ root }).accept();
  } catch (error) {
    // The vault is made and works; only roles wait.
    printer.note(`the machine state cannot be written, so roles grant nothing until \`sheaf trust\`: ${visibleLine(reasonOf(error))}`);
  }
};
