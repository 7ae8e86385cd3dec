// A real MCP client over streamable HTTP, in a process of its own, as clients are.
// Reads {id, method, input} lines, calls the client's method of that name, prints {id, value} or {id, error} lines.
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const [url, token] = process.argv.slice(2);
const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization: `Bearer ${token}` } } });
const client = new Client({ name: 'http-test-client', version: '1.0.0' });

const methods = {
  connect: async () => {
    await client.connect(transport);
    return { sessionId: transport.sessionId };
  },
  terminateSession: () => transport.terminateSession(),
};

const answer = async ({ id, method, input }) => {
  try {
    const value = await (methods[method] ? methods[method]() : client[method](input));
    return { id, value: value ?? null };
  } catch (error) {
    return { id, error: { message: error.message, code: error.code, data: error.data } };
  }
};

for await (const line of createInterface({ input: process.stdin })) {
  void answer(JSON.parse(line)).then(result => console.log(JSON.stringify(result)));
}
