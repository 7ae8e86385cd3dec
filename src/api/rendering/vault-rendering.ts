import type { RenderedDocument } from '#semantic';

interface RenderOptions {
  /** Whose conventions may be used; default: all. */
  readonly mayRead?: (type: string | null) => boolean;
  readonly signal?: AbortSignal;
}

/** Presents a document in a language (§11.7); see `vault.render`. */
export type VaultRendering = (path: string, language: string, options?: RenderOptions) => Promise<RenderedDocument>;
