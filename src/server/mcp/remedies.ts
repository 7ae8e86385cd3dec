import type { ErrorCode } from '#errors';

/** What a model can do about each code of §6.5, in terms of these tools. The compiler asks for a line when a code is added. */
export const remedies = {
  invalid_request: 'Correct the named argument or path and call again.',
  unauthorized:
    'Nobody is known to make this call: the person who runs this server must name a live principal (`sheaf mcp --as ID`, or a valid token).',
  forbidden: 'Do not try another way: a person must grant the named capability, confirm the change, or make it.',
  not_found: 'Look for the path with list_documents; create the document with write_document.',
  lease_conflict: 'Wait for the other holder, or call acquire_lease and pass its lease_id with the operation_id it was acquired with.',
  version_conflict:
    'Call read_document, apply your change to what is there now, and send it with the new hash as base_hash; or change single values with patch_document.',
  idempotency_conflict: 'The key stands for another request: send this one with a new idempotency_key.',
  validation_failed: 'Mend the fields listed in repair.field_errors and call again.',
  internal_error:
    'Call again with the same idempotency_key: what was committed after all is answered and not done twice. If it fails again, a person should run `sheaf doctor`.',
} as const satisfies Record<ErrorCode, string>;
