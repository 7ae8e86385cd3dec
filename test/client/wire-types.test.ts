import { expect, expectTypeOf, test } from 'vitest';
import type { CanonicalEvent, calls, DocumentEntry, GraphReply, KernelResponse, Lease, SearchHit, VaultDocument } from '#api';
import { errorCodes, errorStatuses } from '#errors';
import type * as client from '#server/http/client';
import { errorStatuses as clientStatuses } from '../../src/server/http/client/error-statuses.ts';
import { transportStatuses } from '../../src/server/http/transport-error.ts';

type Answer<N extends keyof typeof calls> = Awaited<ReturnType<(typeof calls)[N]['handler']>>;

test('what the server answers is what the client promises', () => {
  // The client room imports nothing, so its types are written down a second time; here they are held together.
  expectTypeOf<KernelResponse>().toExtend<client.EnvelopeResponse>();
  expectTypeOf<Extract<client.EnvelopeResponse, { success: true }>['event_id']>().toEqualTypeOf<string | undefined>();
  expectTypeOf<CanonicalEvent>().toExtend<client.CanonicalEvent>();
  expectTypeOf<client.CanonicalEvent>().toExtend<CanonicalEvent>();
  expectTypeOf<DocumentEntry>().toExtend<client.DocumentEntry>();
  expectTypeOf<client.DocumentEntry>().toExtend<DocumentEntry>();
  expectTypeOf<Lease>().toExtend<client.Lease>();
  expectTypeOf<client.Lease>().toExtend<Lease>();
  expectTypeOf<Answer<'document.read'>>().toExtend<client.Document>();
  expectTypeOf<client.Document>().toExtend<Answer<'document.read'>>();
  expectTypeOf<Answer<'search.query'>>().toExtend<client.SearchReply>();
  expectTypeOf<client.SearchReply['hits'][number]>().toExtend<SearchHit>();
  expectTypeOf<Answer<'graph.query'>>().toExtend<client.GraphReply>();
  expectTypeOf<client.GraphReply>().toExtend<GraphReply>();
  expectTypeOf<Omit<Answer<'history.show'>, 'event'>>().toExtend<Omit<client.DocumentChange, 'event'>>();
  expectTypeOf<Answer<'history.diff'>>().toExtend<client.DocumentDiff>();
  expectTypeOf<Answer<'history.blame'>>().toExtend<client.DocumentBlame>();
  expectTypeOf<Answer<'links.show'>>().toExtend<client.DocumentLinks>();
  expectTypeOf<Answer<'links.check'>>().toExtend<client.LinkReport>();
  expectTypeOf<Answer<'links.fix'>>().toExtend<client.LinkFixes>();
  expectTypeOf<Answer<'links.suggest'>['mentions'][number]>().toExtend<client.LinkMention>();
  expectTypeOf<Answer<'document.move'>>().toExtend<client.MoveReport>();
  expectTypeOf<Answer<'memory.check'>>().toExtend<client.MemoryReport>();
  expectTypeOf<Answer<'memory.resolve'>>().toExtend<client.ConflictResolution>();
  expectTypeOf<Answer<'workflow.fire'>>().toExtend<client.Firing>();
  expectTypeOf<Answer<'task.claim'>>().toExtend<client.TaskClaim>();
  expectTypeOf<Answer<'task.finish'>>().toExtend<client.TaskState>();
  expectTypeOf<VaultDocument['kind']>().toEqualTypeOf<client.Document['kind']>();
});

test('the client knows every code that the server can answer', () => {
  const known: Record<client.ErrorCode, true> = {
    invalid_request: true,
    unauthorized: true,
    forbidden: true,
    not_found: true,
    lease_conflict: true,
    version_conflict: true,
    idempotency_conflict: true,
    validation_failed: true,
    internal_error: true,
    route_not_found: true,
    method_not_allowed: true,
    payload_too_large: true,
    unsupported_media_type: true,
    rate_limited: true,
    unavailable: true,
  };
  expect(Object.keys(known).toSorted()).toEqual([...Object.keys(errorCodes), ...Object.keys(transportStatuses)].toSorted());
});

test('the client gives every code the status of the contract', () => {
  expect(clientStatuses).toEqual(errorStatuses);
});
