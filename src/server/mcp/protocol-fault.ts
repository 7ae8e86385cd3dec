import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import type { ErrorCode as RefusalCode } from '#errors';
import { remedies } from './remedies.ts';
import { asVaultError, shownMessage } from './tool-reply.ts';
import { defang } from './untrusted-block.ts';

/**
 * A failure where the protocol has no reply of ours to put it into: a JSON-RPC error whose data carries the code and the remedy. Not the library's
 * own class, which writes its number into the text on each side.
 */
export class ProtocolFault extends Error {
  override readonly name = 'ProtocolFault';
  readonly code: number;
  readonly data: { readonly code: RefusalCode; readonly remedy: string };

  constructor(code: RefusalCode, message: string, remedy: string = remedies[code]) {
    super(message);
    this.code = numbers[code] ?? ErrorCode.InvalidParams;
    this.data = { code, remedy };
  }
}

/** The protocol has a number of its own for a resource that is not there. */
const numbers: Partial<Record<RefusalCode, number>> = { internal_error: ErrorCode.InternalError, not_found: -32002 };

/** Whatever a call threw, as the protocol says it. Stored text in a message cannot be put into a block here, so it is at least defanged. */
export const protocolFault = (error: unknown): ProtocolFault => {
  if (error instanceof ProtocolFault) return error;
  const { code, message } = asVaultError(error);
  return new ProtocolFault(code, defang(shownMessage(code, message)).text);
};
