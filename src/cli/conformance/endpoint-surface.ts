import { randomBytes } from 'node:crypto';
import type { CanonicalEvent } from '#api';
import type { HttpEndpoint } from './http-endpoint.ts';
import { asText, isMap, type JsonMap, sameJson, show } from './json.ts';
import { baseline } from './parse-step.ts';
import type { Scenario, SubmitStep } from './scenario.ts';
import { canShare, movedBelow } from './shared-vault.ts';
import type { Surface, VaultUnderTest } from './vault-under-test.ts';

/** What any host can be asked with one token: requests as one principal or as nobody, about documents that requests can make. */
export const runsAtEndpoint = (scenario: Scenario): boolean =>
  canShare(scenario) &&
  Object.keys(scenario.given).every(name => name === 'documents') &&
  scenario.steps.every(
    step =>
      step.kind === 'remember' ||
      (step.kind === 'submit' && (sameJson(step.principal, baseline) || isTurnedAway(step)) && headersCanSay(step.context)),
  );

// Without a token the answer is 401 before the envelope is looked at, whatever is wrong with it.
const isTurnedAway = ({ principal, expect }: SubmitStep): boolean => principal === null && expect.outcome === 'unauthorized';

// A header holds printable characters, and a version is a hash or absent.
const headersCanSay = (context: object): boolean =>
  Object.entries(context).every(([name, value]) =>
    name === 'ifMatch'
      ? value === null || isMap(value) || /^sha256:[0-9a-f]{64}$/.test(String(value))
      : /^[!-~]+$/.test(String(value)) || isMap(value),
  );

/**
 * Whether a scenario met a host that lets this token decide about nobody's rights: a host may add such floors (§6.6), and with a stored token ours does.
 * Only what is about documents that grant rights can be refused that way; any other `forbidden` is a fault.
 */
export const metFloor = (scenario: Scenario, problems: readonly string[]): boolean =>
  problems.some(problem => /(?:, got|was refused:) forbidden/.test(problem)) &&
  /type: \\?"?(?:ssss:)?(?:role|security_role|model|primitive|migration|release)\b/.test(JSON.stringify(scenario));

/**
 * A host reached over HTTP. Every scenario works in a directory and with keys of its own, named anew for each run, and one after the other: the host's log
 * is shared with whoever else uses it. What a run wrote stays there.
 */
export const endpointSurface = (endpoint: HttpEndpoint): Surface => {
  const run = `conformance-${randomBytes(4).toString('hex')}`;
  let count = 0;
  return {
    name: 'http',
    exclusive: () => true,
    open: async scenario => {
      count += 1;
      return openBelow(endpoint, scenario, `${run}/c${count}`);
    },
    close: async () => undefined,
  };
};

const openBelow = async (endpoint: HttpEndpoint, { given }: Scenario, place: string): Promise<VaultUnderTest> => {
  const { inner, outer, moved, back } = movedBelow(place);
  const { workspaceId, principalId } = endpoint;
  const there = (envelope: JsonMap): JsonMap => ({
    ...moved(envelope),
    ...(envelope.workspace_id === 'ws-a' ? { workspace_id: workspaceId } : {}),
  });
  const submit: VaultUnderTest['submit'] = async ({ envelope, principal, context }) =>
    back(await endpoint.submit(there(envelope as JsonMap), context, { anonymous: principal === null }));
  const read = createEventReader(endpoint, place);
  // As if the scenario's own principal and workspace had been there.
  const here = (event: CanonicalEvent): CanonicalEvent =>
    ({
      ...back(event),
      ...(event.workspace_id === workspaceId ? { workspace_id: 'ws-a' } : {}),
      ...(event.principal.id === principalId ? { principal: baseline } : {}),
    }) as CanonicalEvent;
  for (const [path, content] of Object.entries(given.documents ?? {})) {
    const envelope = { type: 'operation', workspace_id: 'ws-a', idempotency_key: `given ${path}`, path, content };
    const response = await submit({ envelope, principal: baseline, context: {} });
    if (response.success !== true) throw new Error(`given document '${path}' was refused: ${refusalOf(response)}`);
  }
  await read.skip();
  return {
    ...noMeans,
    submit,
    text: async path => {
      const answer = await endpoint.get(`/v1/documents/${encodePath(inner(path))}`);
      // `text()` would drop a byte order mark.
      return answer === null ? null : Buffer.from(await answer.arrayBuffer()).toString('utf8');
    },
    tree: async () => new Map((await listDocuments(endpoint, place)).map(({ path, hash }) => [outer(path), hash ?? ''])),
    newEvents: async () => (await read.next()).map(here),
    close: async () => undefined,
  };
};

const refusalOf = ({ error }: JsonMap): string => (isMap(error) ? `${asText(error.code)} (${asText(error.message)})` : show(error));

const encodePath = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

const refuse = (): never => {
  throw new Error('a host at the other end of HTTP cannot be asked that');
};
const noMeans = { lease: refuse, race: refuse, allEvents: refuse, library: refuse, outside: refuse };

const listDocuments = async (endpoint: HttpEndpoint, place: string) => {
  const found: { readonly path: string; readonly hash: string | null }[] = [];
  for (let cursor = ''; ; ) {
    const page = await endpoint.get(`/v1/documents?prefix=${encodeURIComponent(place)}&limit=1000${cursor}`);
    if (page === null) return found;
    const { documents, cursor: next } = (await page.json()) as { documents: typeof found; cursor: string | null };
    found.push(...documents);
    if (next === null) return found;
    cursor = `&cursor=${encodeURIComponent(next)}`;
  }
};

/** The host's log from now on, as far as it is about this scenario. */
const createEventReader = (endpoint: HttpEndpoint, place: string) => {
  let cursor: string | null = null;
  const next = async (): Promise<readonly CanonicalEvent[]> => {
    const found: CanonicalEvent[] = [];
    for (;;) {
      const after: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const page = await endpoint.get(`/v1/events?limit=1000&subject=${encodeURIComponent(`${place}/`)}${after}`);
      if (page === null) throw new Error('the token may not read the log: it needs read:event');
      const body = (await page.json()) as { events: CanonicalEvent[]; cursor: string | null; more: boolean };
      found.push(...body.events);
      cursor = body.cursor;
      if (!body.more) return found;
    }
  };
  return { next, skip: async () => void (await next()) };
};
