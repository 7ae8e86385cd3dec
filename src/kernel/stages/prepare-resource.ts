import type { ResourceRequest } from '#adapter-contracts';
import type { Stage } from '../attempt.ts';
import { orInternalError } from '../refusals.ts';

/** Stage 7 — reserves the external resource the document stands for, where the host coordinates one (§6.3). */
export const prepareResource: Stage = async attempt => {
  const { kernel, envelope, change, operationId } = attempt;
  const { resources } = kernel;
  if (resources === null) return undefined;
  const request: ResourceRequest = {
    workspaceId: envelope.workspace_id,
    path: envelope.path,
    primitiveId: change.primitiveId,
    action: change.action,
    operationId,
    proposed: change.proposed,
  };
  const prepared = await orInternalError('The external resource could not be prepared', () => resources.prepare(request));
  if (prepared !== null) attempt.reservation = { request, token: prepared.token };
  return undefined;
};
