import type { CanonicalEvent, Principal } from '#adapter-contracts';

/** The one service that daemons and workers act as, in every process and on every host: its id is part of each request hash (§6.4). */
export const runtimePrincipalId = 'sheaf:runtime';

/** What the contract asks of a firing and of the record of a run, and nothing else. */
const capabilities = ['ssss:task:*', 'ssss:run:*', 'write:event'] as const;

export const runtimePrincipal = (workspaceId: string): Principal => ({
  id: runtimePrincipalId,
  kind: 'service',
  workspaceIds: [workspaceId],
  capabilities,
  authentication: { provider: 'sheaf', assurance: 'verified' },
});

/** Whether the runtime itself caused an event; only such events say anything about firings, tasks and runs. */
export const isRuntimes = ({ principal }: CanonicalEvent): boolean => principal.id === runtimePrincipalId && principal.kind === 'service';
