import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { expect, test } from 'vitest';
import { asText, type Json, type JsonMap } from '../../src/cli/conformance/json.ts';
import { libraryVault, runWorker, seedDocuments } from '../../src/cli/conformance/library-vault.ts';
import { loadScenarios } from '../../src/cli/conformance/load-scenarios.ts';
import { runScenario } from '../../src/cli/conformance/run-scenario.ts';
import type { Scenario } from '../../src/cli/conformance/scenario.ts';
import type { LeaseAnswer, Request, Surface, VaultUnderTest } from '../../src/cli/conformance/vault-under-test.ts';
import { createMcpServer } from '../../src/server/mcp/index.ts';
import { openGivenVault } from '../conformance/given-vault.ts';
import { callTool } from './mcp-client.ts';

/** What needs no fake adapters, files or raw lines: requests as any client makes them. A person's confirmation is not offered to agents. */
const isPlain = ({ surfaces, steps }: Scenario): boolean =>
  surfaces.includes('memory') &&
  surfaces.includes('exec') &&
  !steps.some(step => 'line' in step || ('context' in step && (step.context as JsonMap | undefined)?.confirmation !== undefined));

/** One client per principal, each with a server of its own in this process. */
const createClients = (vault: Parameters<typeof createMcpServer>[0]['vault']) => {
  const clients = new Map<string, Promise<Client>>();
  const connect = async (principal: Json): Promise<Client> => {
    const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
    await createMcpServer({ vault, caller: { principal } }).connect(serverSide);
    const client = new Client({ name: 'conformance', version: '1.0.0' });
    await client.connect(clientSide);
    return client;
  };
  return {
    of: (principal: Json): Promise<Client> => {
      const id = JSON.stringify(principal);
      const client = clients.get(id) ?? connect(principal);
      clients.set(id, client);
      return client;
    },
    close: async () => {
      for (const client of clients.values()) await (await client).close();
    },
  };
};

const mcpSurface: Surface = {
  name: 'memory',
  open: async ({ given }): Promise<VaultUnderTest> => {
    const { vault, files, outside } = await openGivenVault(given);
    const clients = createClients(vault);
    const submit = async ({ envelope, principal, context }: Request): Promise<JsonMap> => {
      const { ifMatch, correlationId, causationId } = context;
      const beside = { if_match: ifMatch, correlation_id: correlationId, causation_id: causationId };
      const asked = Object.fromEntries(Object.entries({ envelope, ...beside }).filter(([, value]) => value !== undefined));
      return (await callTool(await clients.of(principal), 'submit_envelope', asked)).json() as JsonMap;
    };
    const lease = async ({ do: verb, ttl, ...input }: JsonMap, principal: Json): Promise<LeaseAnswer> => {
      const withTtl = ttl === undefined || verb === 'release' ? input : { ...input, ttl_seconds: ttl };
      const reply = await callTool(await clients.of(principal), `${asText(verb)}_lease`, withTtl);
      if (reply.refused) return { code: String(reply.said.refused) };
      return verb === 'release' ? { released: true } : { lease: reply.json() as JsonMap };
    };
    const under = libraryVault({ vault, files, outside, close: () => clients.close().then(() => vault.close()) });
    await seedDocuments(vault, given);
    await under.newEvents();
    return { ...under, submit, lease, race: workers => Promise.all(workers.map(worker => runWorker(worker, submit, lease))) };
  },
  close: async () => undefined,
};

test('every scenario that any client can play holds when an agent plays it over MCP', async () => {
  const scenarios = loadScenarios('test/conformance')
    .files.flatMap(file => file.scenarios)
    .filter(isPlain);
  const problems: string[] = [];
  for (const scenario of scenarios) {
    const result = await runScenario(scenario, mcpSurface);
    problems.push(...result.problems.map(problem => `${scenario.id}: ${problem}`));
  }
  expect(problems).toEqual([]);
  expect(scenarios.length).toBeGreaterThan(700);
}, 300_000);
