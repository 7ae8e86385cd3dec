import { type Call, type CallName, calls, runCall } from '#api';
import type { CommandContext } from './command-context.ts';

/** What a call answers. */
export type CallResult<N extends CallName> = Awaited<ReturnType<(typeof calls)[N]['handler']>>;

/** Makes a call of the product on this command's vault, as this command's caller. The command line adds nothing but how the answer looks. */
export const invoke = async <N extends CallName>(
  context: CommandContext,
  name: N,
  input: Readonly<Record<string, unknown>>,
): Promise<CallResult<N>> => {
  const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  return (await runCall(calls[name] as unknown as Call, await context.vault(), await context.caller(), given)) as CallResult<N>;
};

/** An event as the calls give it. */
export type LogEvent = CallResult<'event.show'>;
