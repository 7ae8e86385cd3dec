import assert from 'node:assert/strict';
import { DuplicateEventError, DuplicateKeyError } from '#adapter-contracts';
import { type ErrorCode, isVaultError } from '#errors';

/** Checks that a call is refused with this code of §6.5, and by nothing else. */
export const assertRefused = async (call: () => Promise<unknown>, code: ErrorCode, what = ''): Promise<void> => {
  await assert.rejects(
    call,
    (error: unknown) => {
      assert.ok(isVaultError(error), `${what} expected VaultError('${code}'), got ${String(error)}`);
      assert.equal(error.code, code, `${what} ${error.message}`);
      return true;
    },
    `${what} expected VaultError('${code}'), but the call succeeded`,
  );
};

export const assertDuplicateEvent = async (call: () => Promise<unknown>, by: DuplicateEventError['by']): Promise<void> => {
  await assert.rejects(call, (error: unknown) => {
    assert.ok(error instanceof DuplicateEventError, `expected DuplicateEventError, got ${String(error)}`);
    assert.equal(error.by, by);
    return true;
  });
};

/** How one contender of a race fared: it won, lost the way the contract says, or something broke and is thrown. */
export const outcomeOf = async (call: () => Promise<unknown>): Promise<string> => {
  try {
    await call();
    return 'won';
  } catch (error) {
    if (isVaultError(error)) return error.code;
    if (error instanceof DuplicateEventError) return `duplicate ${error.by}`;
    if (error instanceof DuplicateKeyError) return 'duplicate key';
    throw error;
  }
};

/** Checks that exactly one contender won and that all others lost in the one way the contract allows. */
export const assertOneWinner = (outcomes: readonly string[], loss: string): void => {
  assert.deepEqual(
    [...outcomes].sort(),
    ['won', ...Array.from({ length: outcomes.length - 1 }, () => loss)].sort(),
    'exactly one contender must win',
  );
};
