import type { HookSecrets } from '#identity';

/** A request to a webhook as it came in; nothing of it is believed yet. */
export interface HookRequest {
  readonly workflowId: string;
  readonly triggerId: string;
  /** At most `longestHookBody` bytes; longer ones are refused. */
  readonly body: Uint8Array;
  readonly contentType: string | null;
  /** The header `Sheaf-Signature`. */
  readonly signature: string | undefined;
  /** The header `X-Hub-Signature-256`. */
  readonly bodySignature: string | undefined;
}

/** What became of a request that was believed. */
export interface HookReceipt {
  readonly event_id: string;
  /** It had been received before. */
  readonly replay: boolean;
}

/** Webhooks of a vault (§11.8 `webhook`; readings: webhooks). */
export interface VaultHooks {
  readonly secrets: HookSecrets;
  /**
   * Records a verified request as one event. Null when the trigger is unknown or not active, has no secret on this machine, or did not sign: all the same
   * to whoever asks. Throws `VaultError` when the event cannot be recorded.
   */
  receive(request: HookRequest): Promise<HookReceipt | null>;
}

/** Bytes that a webhook may carry. */
export const longestHookBody = 256 * 1024;
