import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inFreshDirectory, openOurs, rule } from './bench-vault.mjs';
import { paired, timed } from './measure.mjs';

const script = fileURLToPath(new URL('http-process.mjs', import.meta.url));

/**
 * One caller's connection: a request, then its answer. The client is as thin as a client can be, because what a library does on the caller's side is not
 * the server's time.
 */
const openConnection = async (port, token) => {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  let received = '';
  let settle = null;
  socket.setEncoding('latin1');
  socket.on('data', chunk => {
    received += chunk;
    const end = received.indexOf('\r\n\r\n');
    if (end === -1) return;
    const length = Number(/content-length: (\d+)/i.exec(received)?.[1]);
    if (received.length < end + 4 + length) return;
    const answer = { status: Number(received.slice(9, 12)), text: received.slice(end + 4) };
    received = '';
    settle?.resolve(answer);
  });
  socket.on('close', () => settle?.reject(new Error('the server closed the connection')));
  const head = `POST /v1/envelopes HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\n`;
  const commit = async ({ path, content }) => {
    const body = JSON.stringify({ type: 'operation', workspace_id: 'ws-bench', idempotency_key: `bench-${path}`, path, content });
    const answer = new Promise((resolve, reject) => {
      settle = { resolve, reject };
    });
    socket.write(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`, 'utf8');
    const { status, text } = await answer;
    if (status !== 201) throw new Error(`answered with ${status}: ${text}`);
  };
  return { commit, close: () => socket.destroy() };
};

/** A served vault, and one connection to it for each caller. */
const openServed = async (root, callers) => {
  const child = fork(script, [root]);
  const [{ port, token }] = await once(child, 'message');
  const connections = await Promise.all(Array.from({ length: callers }, () => openConnection(port, token)));
  const close = async () => {
    for (const connection of connections) connection.close();
    const gone = once(child, 'exit');
    child.send('close');
    await gone;
  };
  return { commits: connections.map(({ commit }) => commit), close };
};

/** `callers` callers at once over HTTP, each on a connection of its own, against as many in the process that holds the vault. */
export const httpCommit = ({ base, repetitions, callers = 64, rounds = 4 }) =>
  inFreshDirectory(base, async root => {
    mkdirSync(join(root, 'in-process'));
    const inProcess = await openOurs(join(root, 'in-process'));
    const served = await openServed(join(root, 'served'), callers);
    // One `commit` per caller.
    const perDocument = async commits => {
      const each = async commit => {
        for (let i = 0; i < rounds; i++) await commit(rule());
      };
      return (await timed(() => Promise.all(commits.map(each)))) / (callers * rounds);
    };
    const inProcessCommits = Array.from({ length: callers }, () => inProcess.commit);
    try {
      return await paired({ repetitions, ours: () => perDocument(served.commits), other: () => perDocument(inProcessCommits) });
    } finally {
      await served.close();
      await inProcess.close();
    }
  });
