import type { Principal } from '#adapter-contracts';

/**
 * Whether a person was there when the principal was authenticated (decision 0010): at this machine's terminal,
 * in a page that they opened by a one-time link, or at an identity provider that proved a second factor. A stored token proves none of that, whoever
 * it was given to.
 */
export const isInteractive = ({ kind, authentication }: Principal): boolean =>
  kind === 'human' && (authentication.provider === 'os' || authentication.provider === 'session' || authentication.assurance === 'strong');

/** How the servers' own authentication names itself in a principal. A host that attaches its principals itself uses other names and its own policy. */
const remoteProviders: ReadonlySet<string> = new Set(['token', 'session', 'oidc', 'mcp-stdio']);

/** Whether the principal reached us through a server, so that an agent may be behind it. */
export const isRemote = ({ authentication }: Principal): boolean => remoteProviders.has(authentication.provider);
