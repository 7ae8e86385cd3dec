export { createKernel, type Kernel } from './create-kernel.ts';
export type { Envelope, EnvelopeType } from './envelope.ts';
export { eventIdForKey } from './event-id.ts';
export type { ConvertRole, ExecuteContext, KernelConfig, WorkspaceAdapters } from './kernel-config.ts';
export type { FailureResponse, KernelResponse, SuccessResponse } from './kernel-response.ts';
export { completePrincipal } from './read-caller.ts';
export { type HashedRequest, requestHash } from './request-hash.ts';
