import { randomBytes } from 'node:crypto';
import { type Clock, type Principal, systemClock } from '#adapter-contracts';
import { hashToken, sameHash } from './token.ts';

/**
 * The sessions of the pages that the person at this machine opened (identity: how callers are known). A one-time link brings a secret to the page
 * in the URL's fragment; the page exchanges it for a session token and keeps that in its own storage. No cookies: one on 127.0.0.1 goes to every
 * port. Nothing of this is written down, so every session dies with the server.
 */
export interface BrowserSessions {
  /** A secret for one link: good for one redemption within two minutes. */
  createLink(): string;
  /** The session token for a link's secret; null when it is wrong, used or too old. After five wrong tries every open link is void. */
  redeem(secret: string): Promise<{ readonly token: string } | null>;
  /** Whom a session token stands for; null when it is unknown or ended. With `use` it counts as activity: idle sessions end after twelve hours. */
  principalOf(token: string, options: { readonly use: boolean }): Principal | null;
  /** Ends one session, as its page asks. */
  end(token: string): void;
  /** Ends every session and voids every link. */
  close(): void;
}

const linkLifeMs = 2 * 60_000;
const idleLifeMs = 12 * 3_600_000;
const wrongTries = 5;
/** Old sessions that nobody ended must not gather; the person has one per browser. */
const mostSessions = 100;

/** Sessions that act as `person`, the one at this machine, who proved it by opening the link. */
export const createBrowserSessions = (options: { readonly person: Principal; readonly clock?: Clock }): BrowserSessions => {
  const { clock = systemClock } = options;
  const principal: Principal = { ...options.person, authentication: { provider: 'session', assurance: 'verified' } };
  const now = (): number => clock.now().getTime();
  let links: readonly { readonly hash: string; readonly until: number }[] = [];
  let wrong = 0;
  const sessions = new Map<string, { usedAt: number }>();

  return {
    createLink() {
      const secret = randomBytes(32).toString('base64url');
      wrong = 0;
      links = [...links.filter(link => link.until > now()), { hash: hashToken(secret), until: now() + linkLifeMs }];
      return secret;
    },
    async redeem(secret) {
      const hash = hashToken(secret);
      // Every link is compared, so the time taken says nothing about which one nearly matched.
      const [match] = links.filter(link => sameHash(link.hash, hash));
      if (match === undefined || match.until <= now()) {
        wrong += 1;
        if (wrong >= wrongTries) links = [];
        return null;
      }
      links = links.filter(link => link !== match);
      const token = `sheafs_${randomBytes(32).toString('base64url')}`;
      if (sessions.size >= mostSessions) sessions.delete(sessions.keys().next().value ?? '');
      sessions.set(hashToken(token), { usedAt: now() });
      return { token };
    },
    principalOf(token, { use }) {
      const hash = hashToken(token);
      const session = sessions.get(hash);
      if (session === undefined) return null;
      if (session.usedAt + idleLifeMs <= now()) {
        sessions.delete(hash);
        return null;
      }
      if (use) session.usedAt = now();
      return principal;
    },
    end(token) {
      sessions.delete(hashToken(token));
    },
    close() {
      links = [];
      sessions.clear();
    },
  };
};
