import { z } from 'zod';
import type { ModelTool } from '#adapter-contracts';
import type { GuardedRun } from '../approval/guarded-run.ts';
import type { ExecutorDocument } from '../executor.ts';
import type { Fence } from '../fence.ts';

/** What a tool of an assistant works with. */
export interface ToolContext {
  readonly run: GuardedRun;
  readonly fence: Fence;
  readonly skills: readonly ExecutorDocument[];
  /** Hashes of the documents that the run has read, by path. */
  readonly read: Map<string, string>;
  /** Paths of the skills that the run has opened. */
  readonly used: Set<string>;
}

/** What a tool did, for the model and for the run record. */
export interface ToolResult {
  readonly failed: boolean;
  /** For the model; foreign text in it is fenced. */
  readonly text: string;
  /** For the run record: one line of our own words. */
  readonly note: string;
  /** Documents that were read or written. */
  readonly paths: readonly string[];
  /** The run ends here. */
  readonly ends?: { readonly done: boolean; readonly summary: string };
}

/** One vault call that an assistant may make. */
export interface AssistantTool {
  readonly tool: ModelTool;
  /** Whether a principal with these capabilities could ever succeed with it. */
  offered(capabilities: readonly string[]): boolean;
  call(context: ToolContext, given: unknown): Promise<ToolResult>;
}

/** Declares a tool; its arguments reach `run` only when they fit the schema, and what does not fit is told to the model. */
export const assistantTool = <I extends z.ZodType>(options: {
  readonly name: string;
  readonly description: string;
  readonly input: I;
  readonly offered?: (capabilities: readonly string[]) => boolean;
  run(context: ToolContext, input: z.output<I>): Promise<ToolResult>;
}): AssistantTool => {
  const { $schema: _, ...input } = z.toJSONSchema(options.input) as Record<string, unknown>;
  return {
    tool: { name: options.name, description: options.description, input },
    offered: options.offered ?? (() => true),
    async call(context, given) {
      const parsed = options.input.safeParse(given);
      if (parsed.success) return options.run(context, parsed.data);
      const issues = parsed.error.issues.slice(0, 5).map(({ path, message }) => `${path.join('.') || 'arguments'}: ${message}`);
      return failure(`The arguments do not fit: ${issues.join('; ')}.`);
    },
  };
};

export const failure = (text: string, paths: readonly string[] = []): ToolResult => ({ failed: true, text, note: text, paths });

/** Whether some capability could allow this action on a type; names of a type's own may mean anything. */
export const mayEver = (capabilities: readonly string[], actions: readonly string[]): boolean =>
  capabilities.some(capability => {
    const action = capability.slice(capability.lastIndexOf(':') + 1);
    return action === '*' || actions.includes(action) || !knownActions.has(action);
  });

const knownActions = new Set([
  'create',
  'replace',
  'patch',
  'append',
  'delete',
  'read',
  'event',
  'private',
  'workflow',
  'task',
  'use',
  'chat',
]);
