import { mayFollowEvents, type Principal, type Vault } from '#api';
import type { Authenticator } from '#identity';

/** How long an answer about a token holds: an event may be sent to whoever could read it so long ago. */
const holdsMs = 250;

/** Asks whether the bearer of a token may read events now; nobody may with one that is unknown, expired or revoked. One question for all streams of a token. */
export interface StreamRights {
  /** The answer at once where it is fresh. */
  mayRead(token: string): boolean | Promise<boolean>;
}

interface Answer {
  readonly until: number;
  readonly may: boolean;
}

export const createStreamRights = (vault: Vault, authenticator: Pick<Authenticator, 'authenticate'>): StreamRights => {
  const answers = new Map<string, Answer>();
  const asking = new Map<string, Promise<boolean>>();
  const ask = async (token: string): Promise<boolean> => {
    try {
      const principal: Principal | null = await authenticator.authenticate(token);
      const may = principal !== null && mayFollowEvents(vault, { principal });
      const now = performance.now();
      for (const [old, { until }] of answers) if (until < now) answers.delete(old);
      answers.set(token, { until: now + holdsMs, may });
      return may;
    } finally {
      asking.delete(token);
    }
  };
  return {
    mayRead(token) {
      const answer = answers.get(token);
      if (answer !== undefined && answer.until >= performance.now()) return answer.may;
      const asked = asking.get(token) ?? ask(token);
      asking.set(token, asked);
      return asked;
    },
  };
};
