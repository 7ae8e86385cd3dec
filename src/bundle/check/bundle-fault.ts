/** One rule that a bundle breaks, and where. */
export interface BundleFault {
  /** Stable, for programs. */
  readonly rule: BundleRule;
  /** A member such as `manifest.version` or `files[3].content`, or the path of a file. */
  readonly place: string;
  readonly issue: string;
  readonly line?: number;
}

export type BundleRule =
  | 'shape'
  | 'manifest'
  | 'version'
  | 'extension'
  | 'order'
  | 'count'
  | 'inventory'
  | 'integrity'
  | 'class'
  | 'path'
  | 'collision'
  | 'document';
