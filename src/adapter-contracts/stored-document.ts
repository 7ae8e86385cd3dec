/** A document as a VFS stores it. */
export interface StoredDocument {
  readonly bytes: Uint8Array;
  /** Opaque compare-and-swap token; equal bytes have equal versions. */
  readonly version: string;
  /** `sha256:<hex>` of `bytes`. */
  readonly hash: string;
}
