import type { CallKey } from '../idempotency-key.ts';
import { boundedBody, boundedList, refusal, shownMessage, shownWarnings, type ToolReply } from '../tool-reply.ts';
import type { CallResult } from './tool.ts';

/** The answer to an envelope (§6.5), as a reply that says what happened, under which key, and how to check it (mcp: replies). */
export const responseReply = (response: Response, key: CallKey | null): ToolReply => {
  const keyLines = key === null || key.origin === 'given' ? [] : [`idempotency_key: ${key.key}`];
  if (!response.success) {
    const { code, message } = response.error;
    const body = boundedBody({ ...response, error: { code, message: shownMessage(code, message) } });
    const reply = refusal(code, body, keyLines);
    return code === 'internal_error' ? { ...reply, fault: message } : reply;
  }
  const validation = { ...response.validation, warnings: boundedList(shownWarnings(response.validation.warnings)) };
  const lines = [outcome(response), ...keyLines, ...advice(response, key)];
  return { lines, stored: JSON.stringify({ ...response, validation }) };
};

type Response = CallResult<'envelope.submit'>;
type Success = Response & { readonly success: true };

const outcome = (response: Success): string => {
  if (response.dry_run) return 'rehearsed: the request would be accepted; nothing was changed';
  if (response.unchanged === true) return 'unchanged: the document holds exactly this text already; no event was recorded';
  const what = response.replay === true ? 'replayed: this request was applied before; nothing was done again' : 'done: committed';
  // Of a vault from elsewhere even an id may be somebody's text; it stands in the block as well.
  return /^[\w-]{1,64}$/.test(response.event_id ?? '') ? `${what}\nevent_id: ${response.event_id}` : what;
};

const advice = (response: Success, key: CallKey | null): string[] => {
  if (response.dry_run || response.unchanged === true) return [];
  if (response.replay === true) {
    const again =
      key?.origin === 'derived'
        ? ' If it should be applied again although it was before, send it with an idempotency_key of your own.'
        : '';
    return [`to check: read_document shows what the document holds now, history what happened since.${again}`];
  }
  const retry = key?.origin === 'random' ? ' If a reply is lost, send the same call with this idempotency_key.' : '';
  const look = response.type === 'event' ? 'history shows the event' : 'read_document shows the document, history the event';
  return [`to check: ${look}.${retry}`];
};
