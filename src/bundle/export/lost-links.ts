import { extractLinks, type Link, type LinkLookup, resolveLink } from '#document';

/** A link of a document that leaves whose only meaning is a document that stays. */
export interface LostLink {
  readonly link: Link;
  /** The document that stays. */
  readonly leadsTo: string;
}

/**
 * Links that resolve in the vault and would not in the bundle: such a bundle could never be provisioned (§17.3). What leads nowhere in the vault already is no
 * loss.
 *
 * @param vault How links resolve among all documents of the vault.
 */
export const lostLinks = (path: string, content: string, vault: LinkLookup, leaves: (path: string) => boolean): readonly LostLink[] =>
  extractLinks(content).flatMap((link): readonly LostLink[] => {
    const meant = resolveLink(link, path, vault);
    return meant.kind === 'resolved' && !leaves(meant.path) ? [{ link, leadsTo: meant.path }] : [];
  });
