import type { Attempt } from './attempt.ts';
import { invalidRequest, keepingRefusals } from './refusals.ts';

/**
 * Two paths that differ only by letter case or Unicode form are one file on many disks, so the second is never created. Asked at stage 3,
 * and again under the commit lock (readings: case twins).
 */
export async function refuseTwin({ envelope, workspace }: Attempt): Promise<void> {
  if (workspace === null) return;
  const { path } = envelope;
  const twin = await keepingRefusals(`Paths like '${path}' cannot be looked up`, () => workspace.adapters.vfs.findTwin(path));
  if (twin === null) return;
  const issue = `'${twin}' exists and differs only by letter case or Unicode form; use that path.`;
  throw invalidRequest({ field: 'path', issue });
}
