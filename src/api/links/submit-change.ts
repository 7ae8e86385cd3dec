import { randomUUID } from 'node:crypto';
import type { Principal } from '#adapter-contracts';
import { type AnyVaultError, VaultError, withoutHostPaths } from '#errors';
import type { FailureResponse, KernelResponse } from '#kernel';
import type { LinkSource } from './link-source.ts';
import type { LinkWriter } from './vault-links.ts';

/** One envelope as the work on links and memory sends it: always with the version it was planned from. */
export interface Submission {
  readonly type: 'operation' | 'patch' | 'delete' | 'event';
  readonly path: string;
  readonly content?: string;
  readonly patches?: Readonly<Record<string, unknown>>;
  /** The hash the change was planned from; null = nothing was there; absent for events. */
  readonly ifMatch?: string | null;
  /** Default: a random one. */
  readonly key?: string;
  readonly intent?: string;
}

/** Sends one envelope as the writer; a dry run of the writer makes it one. */
export const submitChange = (
  { kernel, workspaceId }: Pick<LinkSource, 'kernel' | 'workspaceId'>,
  writer: LinkWriter,
  submission: Submission,
  lease: { readonly lease_id: string; readonly operation_id: string } | null = null,
): Promise<KernelResponse> => {
  const { ifMatch, key, ...members } = submission;
  const envelope = {
    workspace_id: workspaceId,
    idempotency_key: key ?? randomUUID(),
    ...members,
    ...lease,
    ...(writer.dryRun === true ? { dry_run: true } : {}),
  };
  return kernel.execute(envelope, {
    principal: writer.principal,
    ...(ifMatch === undefined ? {} : { ifMatch }),
    ...(writer.correlationId === undefined ? {} : { correlationId: writer.correlationId }),
    ...(writer.causationId === undefined ? {} : { causationId: writer.causationId }),
  });
};

/** Why a change was refused, on one line; what failed inside names no place on the machine. */
export const refusalReason = ({ error, repair }: FailureResponse): string => {
  const text = [error.message, ...repair.field_errors.slice(1).map(({ field, issue }) => `${field}: ${issue}`)].join(' ');
  return error.code === 'internal_error' ? withoutHostPaths(text) : text;
};

/** The refusal of an envelope as the error of the call that sent it. */
export const refusalOf = (response: FailureResponse, path: string, what: string): VaultError => {
  const details = { path, issues: response.repair.field_errors } as unknown as AnyVaultError['details'];
  return new VaultError(response.error.code, details as never, `${what}: ${response.error.message}`);
};

/**
 * Sends an envelope that may need a lease (§7): where one is required and nobody holds it, one is taken for this change and given back.
 */
export const submitUnderLease = async (
  source: LinkSource,
  writer: LinkWriter & { readonly correlationId: string },
  submission: Submission,
): Promise<KernelResponse> => {
  const response = await submitChange(source, writer, submission);
  if (response.success || response.error.code !== 'lease_conflict') return response;
  const { leases, workspaceId } = source;
  if ((await leases.current(workspaceId, submission.path)) !== null) return response;
  const holder = await takeLease(source, writer.principal, submission.path, writer.correlationId);
  try {
    return await submitChange(source, writer, submission, { lease_id: holder.lease_id, operation_id: holder.operation_id });
  } finally {
    await leases.release(workspaceId, submission.path, holder);
  }
};

const takeLease = async ({ leases, workspaceId }: LinkSource, principal: Principal, target: string, operationId: string) => {
  const { lease_id } = await leases.acquire({
    workspace_id: workspaceId,
    target,
    principal_id: principal.id,
    operation_id: operationId,
    ttlSeconds: 30,
  });
  return { lease_id, principal_id: principal.id, operation_id: operationId };
};
