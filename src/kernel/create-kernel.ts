import { type RecoveryReport, systemClock } from '#adapter-contracts';
import { type KernelParts, startAttempt } from './attempt.ts';
import type { ExecuteContext, KernelConfig, WorkspaceAdapters } from './kernel-config.ts';
import type { KernelResponse } from './kernel-response.ts';
import { createWorkspace } from './workspace.ts';
import { runWritePipeline } from './write-pipeline.ts';

/** The Operation Contract over one fixed set of workspaces (§6). */
export interface Kernel {
  /** Takes one envelope through the thirteen stages. Never throws: every failure is a response with one of the nine codes. */
  execute(envelope: unknown, context: ExecuteContext): Promise<KernelResponse>;
  /** Decides every commit that a dead process left half done, and lists live ones as `in_flight`; also happens before the first operation. */
  recover(): Promise<readonly RecoveryReport[]>;
}

/**
 * Binds the stages to their adapters.
 *
 * @example
 * const kernel = createKernel({ workspaces: { 'ws-acme': createMemoryStore() }, registry: loadCoreRegistry(), authorizer });
 * await kernel.execute(envelope, { principal });
 */
export function createKernel(config: KernelConfig): Kernel {
  const parts = wireParts(config);
  return {
    execute: (envelope, context) => runWritePipeline(startAttempt(parts, envelope, orNobody(context))),
    async recover() {
      const reports: RecoveryReport[] = [];
      for (const workspace of parts.workspaces.values()) reports.push(...(await workspace.recover()));
      return reports;
    },
  };
}

/** A host without types can forget the context, which then attaches nobody. */
const orNobody = (context: ExecuteContext | null | undefined): ExecuteContext => context ?? { principal: null };

function wireParts(config: KernelConfig): KernelParts {
  if (config.pre09Roles === true && config.convertRole === undefined)
    throw new TypeError('pre09Roles needs convertRole: a role that nothing can convert would be refused every time.');
  const onRecovery = (reports: readonly RecoveryReport[]): void => config.onRecovery?.(reports);
  const workspaces = new Map(entriesOf(config.workspaces).map(([id, adapters]) => [id, createWorkspace(id, adapters, onRecovery)]));
  return {
    workspaces,
    registry: config.registry,
    authorizer: config.authorizer,
    clock: config.clock ?? systemClock,
    projections: config.projections ?? null,
    resources: config.resources ?? null,
    convertRole: config.pre09Roles === true ? (config.convertRole ?? null) : null,
  };
}

const entriesOf = (workspaces: KernelConfig['workspaces']): readonly (readonly [string, WorkspaceAdapters])[] =>
  workspaces instanceof Map ? [...workspaces.entries()] : Object.entries(workspaces as Readonly<Record<string, WorkspaceAdapters>>);
