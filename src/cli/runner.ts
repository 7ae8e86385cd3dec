import type { Command } from 'commander';
import type { Vault } from '#api';
import { resolveCaller } from './caller.ts';
import type { CommandContext, GlobalOptions, OpenOptions } from './command-context.ts';
import { untilAborted } from './interrupt.ts';
import { createPrinter } from './output/printer.ts';
import { findVaultRoot, openVaultAt } from './vault-session.ts';

/** The body of a command: the context, then its arguments and options as declared. */
type CommandBody<A extends unknown[]> = (context: CommandContext, ...args: A) => Promise<void>;

/** Makes a commander action of a body. `finishes`: it watches the signal itself and is waited for when interrupted. */
export type Bind = <A extends unknown[]>(
  body: CommandBody<A>,
  options?: { readonly finishes: boolean },
) => (...args: [...A, Command]) => Promise<void>;

export interface Runner {
  readonly bind: Bind;
  /** Closes every vault that the command opened. */
  readonly close: () => Promise<void>;
}

export const createRunner = (signal: AbortSignal): Runner => {
  const opened: Promise<Vault>[] = [];
  const keep = (opening: Promise<Vault>): Promise<Vault> => {
    opened.push(opening);
    return opening;
  };

  const contextFor = (command: Command): CommandContext => {
    const globals = command.optsWithGlobals<GlobalOptions>();
    const printer = createPrinter(
      { json: globals.json === true, quiet: globals.quiet === true },
      { out: process.stdout, err: process.stderr },
    );
    let named: Promise<Vault> | null = null;
    const vault = (options: OpenOptions = {}): Promise<Vault> => {
      named ??= keep((async () => openVaultAt(findVaultRoot(globals), printer, options))());
      return named;
    };
    return {
      printer,
      globals,
      signal,
      vault,
      caller: async () => resolveCaller(await vault(), globals),
      openAt: root => keep(openVaultAt(root, printer)),
    };
  };

  return {
    bind:
      (body, options = { finishes: false }) =>
      async (...args) => {
        const command = args.at(-1) as Command;
        const context = contextFor(command);
        const running = body(context, ...(args.slice(0, -1) as never));
        await (options.finishes ? running : untilAborted(running, signal));
      },
    close: async () => {
      for (const opening of opened) {
        // A vault that could not be opened has been complained about already.
        const vault = await opening.catch(() => null);
        await vault?.close();
      }
    },
  };
};
