import { randomUUID } from 'node:crypto';

/** Sessions of MCP over HTTP: each belongs to the principal that opened it (mcp: who acts). They hold nothing else. */
export interface McpSessions {
  open(principalId: string): string;
  /** Whether the session is this principal's; somebody else's and unknown ones are not told apart. */
  isOwn(sessionId: string, principalId: string): boolean;
  end(sessionId: string): void;
}

const mostPerPrincipal = 100;
const mostInAll = 10_000;
const idleMs = 12 * 60 * 60 * 1000;

export const createMcpSessions = (now: () => number = Date.now): McpSessions => {
  // In the order of last use, the longest unused first.
  const sessions = new Map<string, { readonly principalId: string; readonly usedAt: number }>();
  const forgetIdle = (): void => {
    for (const [id, { usedAt }] of sessions) {
      if (now() - usedAt < idleMs) return;
      sessions.delete(id);
    }
  };
  const forgetOldest = (principalId?: string): void => {
    for (const [id, session] of sessions) {
      if (principalId !== undefined && session.principalId !== principalId) continue;
      sessions.delete(id);
      return;
    }
  };
  const use = (id: string, principalId: string): void => {
    sessions.delete(id);
    sessions.set(id, { principalId, usedAt: now() });
  };

  return {
    open(principalId) {
      forgetIdle();
      const own = [...sessions.values()].filter(session => session.principalId === principalId);
      if (own.length >= mostPerPrincipal) forgetOldest(principalId);
      else if (sessions.size >= mostInAll) forgetOldest();
      const id = randomUUID();
      use(id, principalId);
      return id;
    },
    isOwn(id, principalId) {
      forgetIdle();
      if (sessions.get(id)?.principalId !== principalId) return false;
      use(id, principalId);
      return true;
    },
    end: id => void sessions.delete(id),
  };
};
