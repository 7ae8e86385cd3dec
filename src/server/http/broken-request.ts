import type { Duplex } from 'node:stream';
import { failureBody } from '#api';

/** What is no HTTP at all still gets the contract's body. */
export const refuseBrokenRequest = (error: NodeJS.ErrnoException, socket: Duplex): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const tooLarge = error.code === 'HPE_HEADER_OVERFLOW';
  const body = JSON.stringify(
    tooLarge
      ? failureBody('payload_too_large', 'The headers are larger than this server takes.')
      : failureBody('invalid_request', 'This is not a well-formed HTTP request.'),
  );
  const status = tooLarge ? '413 Payload Too Large' : '400 Bad Request';
  const head = `HTTP/1.1 ${status}\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close`;
  socket.end(`${head}\r\n\r\n${body}`);
};

/** Node answers a request without Host, or with an expectation it does not know, by a bare status; our guards refuse the first in the contract's words. */
export const ownRefusals = { requireHostHeader: false } as const;
