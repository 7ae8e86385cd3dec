import { type ScanSource, scanVault } from '#projections';
import type { Registry } from '#registry';
import { type RuntimeDocument, readTriggers, type Trigger } from '#runtime';
import { typeOf } from '../document-entry.ts';

/** The trigger as the vault's documents define it now; null when there is none that could fire. */
export const findTrigger = async (
  source: ScanSource,
  registry: Registry,
  { workflowId, triggerId }: { readonly workflowId: string; readonly triggerId: string },
): Promise<Trigger | null> => {
  const workflows: RuntimeDocument[] = [];
  const triggers: RuntimeDocument[] = [];
  for await (const file of scanVault(source)) {
    if (file.kind !== 'markdown' || file.parsed.kind !== 'document') continue;
    const document = { path: file.path, hash: file.hash, data: file.parsed.document.data };
    const type = typeOf(file.path, file.parsed, registry);
    if (type === 'ssss:workflow') workflows.push(document);
    if (type === 'ssss:trigger') triggers.push(document);
  }
  return readTriggers({ workflows, triggers }).triggers.find(({ id, workflow }) => id === triggerId && workflow.id === workflowId) ?? null;
};
