import type { Authenticator } from '#identity';

/** How long an answer about the token of a stream holds; its end is watched besides. */
const holdsMs = 250;

/**
 * Whom the token of a long request stands for now: rights that a person takes away, through a role for instance, must end for what is still open, too.
 * Null when the token has ended. While the principals cannot be read, the last answer holds, as it does for the watch of the token.
 */
export const createCurrentPrincipal = (
  authenticator: Pick<Authenticator, 'authenticate'>,
  token: string,
  first: unknown,
): (() => Promise<unknown>) => {
  let until = 0;
  let last = first;
  let asked: Promise<unknown> = Promise.resolve(first);
  const ask = async (): Promise<unknown> => {
    try {
      last = await authenticator.authenticate(token);
    } catch {
      // Nothing is known that was not known before.
    }
    return last;
  };
  return () => {
    const now = performance.now();
    if (now < until) return asked;
    until = now + holdsMs;
    asked = ask();
    return asked;
  };
};
