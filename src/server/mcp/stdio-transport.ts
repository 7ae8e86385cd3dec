import type { Writable } from 'node:stream';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  ErrorCode,
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';
import { JsonSyntaxError, parseStrictJson, readByteLines } from '#api';

export interface StdioOptions {
  readonly input: AsyncIterable<Uint8Array>;
  readonly output: Writable;
}

const longestMessage = 16 * 1024 * 1024;
const mostAtOnce = 64;

/**
 * MCP over standard input and output: one message per line. Unlike the library's own transport it reads JSON as every other surface does (a name
 * that stands twice is refused, `__proto__` is a name), answers a broken line instead of dropping it, reads no faster than it answers, and when the
 * input ends it first answers what it has taken.
 */
export const createStdioTransport = ({ input, output }: StdioOptions): Transport & { readonly finished: Promise<void> } => {
  const pending = createPending();
  let finish: () => void = () => undefined;
  const finished = new Promise<void>(resolve => (finish = resolve));
  const write = (message: object): Promise<void> => writeLine(output, JSON.stringify(message));

  const read = async (): Promise<void> => {
    for await (const line of readByteLines(input, longestMessage)) {
      const message = line.tooLong ? `longer than ${longestMessage / 1024 / 1024} MiB` : parseMessage(line.bytes);
      if (message === null) continue;
      if (typeof message === 'string') {
        await write({ jsonrpc: '2.0', id: null, error: { code: ErrorCode.ParseError, message: `line ${line.number}: ${message}` } });
        continue;
      }
      if (isJSONRPCRequest(message)) pending.add(message.id);
      // A cancelled request is not answered.
      if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled')
        pending.settle(message.params?.requestId as RequestId);
      transport.onmessage?.(message);
      await pending.fewerThan(mostAtOnce);
    }
    await pending.fewerThan(1);
  };

  const transport: Transport & { readonly finished: Promise<void> } = {
    finished,
    async start() {
      void read()
        .catch((error: unknown) => transport.onerror?.(error instanceof Error ? error : new Error(String(error))))
        .then(() => transport.close());
    },
    async send(message) {
      await write(message);
      if ((isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) && message.id !== undefined) pending.settle(message.id);
    },
    async close() {
      transport.onclose?.();
      finish();
    },
  };
  return transport;
};

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The message on a line, null for an empty line, or what is wrong with it. */
const parseMessage = (bytes: Uint8Array): JSONRPCMessage | string | null => {
  try {
    const text = decoder.decode(bytes).trim();
    if (text === '') return null;
    const value = parseStrictJson(text);
    // Checked, not replaced by the schema's copy: an envelope inside must reach the kernel as it came.
    return JSONRPCMessageSchema.safeParse(value).success ? (value as JSONRPCMessage) : 'not a JSON-RPC message';
  } catch (error) {
    return error instanceof JsonSyntaxError ? `not JSON: ${error.message}` : 'the bytes are not valid UTF-8';
  }
};

/** Requests that wait for their answers. */
const createPending = () => {
  const ids = new Set<RequestId>();
  let wake: () => void = () => undefined;
  return {
    add: (id: RequestId): void => void ids.add(id),
    settle(id: RequestId): void {
      ids.delete(id);
      wake();
    },
    async fewerThan(limit: number): Promise<void> {
      while (ids.size >= limit) await new Promise<void>(resolve => (wake = resolve));
    },
  };
};

// A client that is gone closes the pipe; then nobody waits for the answer.
const writeLine = (output: Writable, text: string): Promise<void> =>
  new Promise(resolve => {
    output.write(`${text}\n`, () => resolve());
  });
