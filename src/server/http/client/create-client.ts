import { createDocumentCalls, type DocumentCalls } from './document-calls.ts';
import { createEnvelopeCalls, type EnvelopeCalls } from './envelope-calls.ts';
import { createEventCalls, type EventCalls } from './event-calls.ts';
import { createLeaseCalls, type LeaseCalls } from './lease-calls.ts';
import { createLinkCalls, type LinkCalls } from './link-calls.ts';
import { createMemoryCalls, type MemoryCalls } from './memory-calls.ts';
import { createPastCalls, type PastCalls } from './past-calls.ts';
import { createSearchCalls, type SearchCalls } from './search-calls.ts';
import { type CallOptions, type ClientOptions, createTransport } from './transport.ts';
import { createWorkCalls, type WorkCalls } from './work-calls.ts';

/** A vault behind `sheaf serve`, from a browser or from Node. */
export interface SheafClient extends EnvelopeCalls, SearchCalls {
  readonly documents: DocumentCalls;
  readonly events: EventCalls;
  readonly leases: LeaseCalls;
  readonly history: PastCalls;
  readonly links: LinkCalls;
  readonly memory: MemoryCalls;
  readonly work: WorkCalls;
  /** The id of the vault's workspace. */
  workspace(options?: CallOptions): Promise<string>;
}

/**
 * A client of one server, as the bearer of one token.
 *
 * @example
 * const client = createClient({ endpoint: 'http://127.0.0.1:4177', token });
 * await client.documents.write('rules/tone.md', text, { ifMatch: null });
 */
export const createClient = (options: ClientOptions): SheafClient => {
  const transport = createTransport(options);
  let known = options.workspaceId;
  const workspace = async ({ signal }: CallOptions = {}): Promise<string> => {
    known ??= (await transport.call<{ readonly workspace_id: string }>({ path: '/readyz', repeatable: true, signal })).workspace_id;
    return known;
  };
  const envelopes = createEnvelopeCalls(transport, workspace);
  return {
    ...envelopes,
    ...createSearchCalls(transport),
    documents: createDocumentCalls(transport, envelopes),
    events: createEventCalls(transport, envelopes),
    leases: createLeaseCalls(transport),
    history: createPastCalls(transport),
    links: createLinkCalls(transport),
    memory: createMemoryCalls(transport),
    work: createWorkCalls(transport),
    workspace,
  };
};
