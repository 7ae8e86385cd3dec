import type { AuthorizationRequest, Principal } from '#adapter-contracts';
import { checkPath, decodeUtf8, type FrontmatterMap, parseDocument } from '#document';
import { VaultError } from '#errors';
import type { Attempt, Stage } from '../attempt.ts';
import { completePrincipal } from '../read-caller.ts';
import { keepingRefusals, orInternalError } from '../refusals.ts';

/** Stage 5 — a complete principal, scoped to the workspace, whom the authorizer allows (§6.6). */
export const authorize: Stage = async attempt => {
  const { kernel, envelope } = attempt;
  attempt.principal = completePrincipal(await attachedPrincipal(attempt));
  const { principal } = attempt;
  const scoped = principal.kind === 'system' || principal.workspaceIds.includes(envelope.workspace_id);
  if (attempt.workspace === null || !scoped) throw forbidden(`'${principal.id}' may not act in the workspace '${envelope.workspace_id}'.`);
  const verdict = await keepingNothing(() => kernel.authorizer.authorize(authorizationRequest(attempt)));
  if (verdict.allowed !== true)
    throw forbidden(
      verdict.reason ?? `'${principal.id}' may not ${attempt.change.action} a ${attempt.change.primitiveId}.`,
      verdict.missing,
    );
  return undefined;
};

const forbidden = (message: string, missing?: readonly string[]): VaultError<'forbidden'> =>
  new VaultError('forbidden', missing === undefined ? {} : { missing }, message);

/** An authorizer that fails has allowed nothing (§6.7). */
const keepingNothing = <T>(work: () => Promise<T>): Promise<T> => orInternalError('The authorizer failed', work);

function authorizationRequest(attempt: Attempt): AuthorizationRequest {
  const { envelope, change, context, principal, requestHash } = attempt;
  const { confirmation, hostAction } = context;
  return {
    principal,
    workspaceId: envelope.workspace_id,
    definition: change.definition,
    primitiveId: change.primitiveId,
    action: change.action,
    path: envelope.path,
    idempotencyKey: envelope.idempotency_key,
    requestHash,
    proposed: change.proposed,
    payload: envelope.payload,
    ...(confirmation === undefined ? {} : { confirmation }),
    ...(hostAction === undefined ? {} : { hostAction }),
  };
}

/** The host's principal, or the one a pre-0.9 role stands for, under the id that the request hash already carries (§6.6). */
async function attachedPrincipal({ caller, kernel, workspace, envelope }: Attempt): Promise<unknown> {
  const { role } = caller;
  if (role === null || kernel.convertRole === null) return caller.attached;
  const { convertRole } = kernel;
  const readRole = async (): Promise<FrontmatterMap | null> => {
    const path = `roles/${role}/ROLE.md`;
    if (workspace === null || role.includes('/') || checkPath(path) !== null) return null;
    const stored = await keepingRefusals(`'${path}' cannot be read`, () => workspace.adapters.vfs.read(path));
    const parsed = stored === null ? null : parseDocument(decodeUtf8(stored.bytes));
    return parsed?.kind === 'document' ? parsed.document.data : null;
  };
  const principal: Principal | null = await keepingNothing(() => convertRole(role, readRole));
  if (principal === null) throw forbidden(`The role '${role}' gives no rights in the workspace '${envelope.workspace_id}'.`);
  return { ...principal, id: caller.id };
}
