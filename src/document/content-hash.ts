import { hash } from 'node:crypto';
import { encodeUtf8 } from './utf8.ts';

/** `sha256:<hex>` over the stored bytes; the version string of a document (§8.2). A text is hashed as its UTF-8 bytes. */
export const hashContent = (content: Uint8Array | string): string =>
  `sha256:${hash('sha256', typeof content === 'string' ? encodeUtf8(content) : content)}`;
