import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Watches for connections on which nothing was ever asked: browsers and fetch libraries open them in advance. Closing a server waits for them, because
 * it takes them for requests that are about to come. Gives how to close them.
 */
export const watchUnusedConnections = (server: Server): (() => void) => {
  const unused = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  server.on('request', request => unused.delete(request.socket));
  return () => {
    for (const socket of unused) socket.destroy();
  };
};
