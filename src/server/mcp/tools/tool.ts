import type { ToolAnnotations } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { Principal } from '#adapter-contracts';
import { type Call, type Caller, type CallName, calls, runCall, type Vault } from '#api';
import type { ToolReply } from '../tool-reply.ts';

/** What a tool works with: one vault, and whoever the host says is calling. */
export interface ToolContext {
  readonly vault: Vault;
  readonly caller: Caller;
}

/** One tool (mcp: tools): a thin rendering of a call of the product. */
export interface Tool<I extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly title: string;
  /** For a model: what it does, what it needs, what comes back. */
  readonly description: string;
  readonly annotations: ToolAnnotations;
  readonly input: I;
  run(context: ToolContext, input: z.output<I>): Promise<ToolReply>;
}

/** Declares a tool; its schema gives `run` its types. */
export const defineTool = <I extends z.ZodType>(tool: Tool<I>): Tool => Object.freeze(tool) as unknown as Tool;

/** What a call answers. */
export type CallResult<N extends CallName> = Awaited<ReturnType<(typeof calls)[N]['handler']>>;

/** Makes a call of the product as this context's caller; members without a value are left out. */
export const invoke = async <N extends CallName>(
  { vault, caller }: ToolContext,
  name: N,
  input: Readonly<Record<string, unknown>>,
): Promise<CallResult<N>> => {
  const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  return (await runCall(calls[name] as unknown as Call, vault, caller, given)) as CallResult<N>;
};

/** A caller without an id is refused by the kernel; a key made of it is then of no use to anybody. */
export const callerId = ({ caller }: ToolContext): string => String((caller.principal as Partial<Principal> | null)?.id ?? '');

/** Any JSON, untouched, that a schema for models still describes. */
export const anyJson = (description: string, jsonSchema: Readonly<Record<string, unknown>> = {}) =>
  z.unknown().meta({ description, ...jsonSchema });
