export { checkLinks, type LinkFault, type LinkFinding, type WhereTo } from './check-links.ts';
export { type IndexPage, indexPages, isGeneratedPage, type ListedDocument } from './index-page.ts';
export { createLinkMap, type LinkMap } from './link-map.ts';
export { retarget } from './link-targets.ts';
export { type LinkedDocument, linkedDocument, type PlacedLink } from './linked-document.ts';
export { createMove, type KeptLink, type Move, type MovedLinks, movedLinks } from './move-links.ts';
export { createMovedPaths, type MovedPaths } from './moved-paths.ts';
export { type LinkRewriting, rewritingPatches } from './rewrite-document.ts';
export { createLinkSuggester, type LinkSuggestion, type SuggestLinks, withSuggestedLinks } from './suggest-links.ts';
