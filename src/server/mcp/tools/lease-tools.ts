import { calls } from '#api';
import { defineTool, invoke } from './tool.ts';

const leasing = { readOnlyHint: false, destructiveHint: false, openWorldHint: false } as const;

export const acquireLeaseTool = defineTool({
  name: 'acquire_lease',
  title: 'Acquire a lease',
  description:
    'Claim one path for one unit of work, for ttl_seconds (default 60). While it lives nobody else can claim it. Pass its lease_id and operation_id with your writes; where this vault requires leases, writes without one are refused.',
  annotations: leasing,
  input: calls['lease.acquire'].input,
  run: async (context, input) => leaseReply('acquired', await invoke(context, 'lease.acquire', input)),
});

export const renewLeaseTool = defineTool({
  name: 'renew_lease',
  title: 'Renew a lease',
  description: 'Extend a lease that you hold.',
  annotations: leasing,
  input: calls['lease.renew'].input,
  run: async (context, input) => leaseReply('renewed', await invoke(context, 'lease.renew', input)),
});

export const releaseLeaseTool = defineTool({
  name: 'release_lease',
  title: 'Release a lease',
  description: 'Give up a lease that you hold, so that others need not wait for its end.',
  annotations: leasing,
  input: calls['lease.release'].input,
  run: async (context, input) => leaseReply('released', await invoke(context, 'lease.release', input)),
});

const leaseReply = (what: string, lease: { readonly lease_id: string }) => ({
  lines: [`done: ${what}`, `lease_id: ${lease.lease_id}`],
  stored: JSON.stringify(lease),
});
