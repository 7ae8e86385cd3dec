/** Bytes of which a tail of zeros is only counted, so that files filled with zeros beforehand cost nothing to copy. Never changed in place. */
export interface SparseBytes {
  /** Without some or all of the zeros at the end. */
  readonly data: Uint8Array;
  readonly length: number;
}

export const noBytes: SparseBytes = { data: new Uint8Array(), length: 0 };

const zeros = Buffer.alloc(1 << 12);

/** A copy of `bytes`, which its owner may change afterwards. */
export const sparseCopy = (bytes: Uint8Array): SparseBytes => {
  let end = bytes.length;
  while (end >= zeros.length && zeros.equals(bytes.subarray(end - zeros.length, end))) end -= zeros.length;
  return { data: bytes.slice(0, end), length: bytes.length };
};

export const sliceOf = ({ data, length }: SparseBytes, from: number, to: number): Uint8Array => {
  const end = Math.min(to, length);
  if (end <= data.length) return data.slice(from, end);
  const slice = new Uint8Array(Math.max(0, end - from));
  if (from < data.length) slice.set(data.subarray(from));
  return slice;
};

/** `content` with `bytes` at `position`; a gap before them reads as zeros. */
export const written = (content: SparseBytes, position: number, bytes: SparseBytes): SparseBytes => {
  const end = position + bytes.length;
  const dataEnd = bytes.data.length === 0 ? 0 : position + bytes.data.length;
  const data = new Uint8Array(content.data.length > end ? content.data.length : Math.max(dataEnd, Math.min(content.data.length, position)));
  data.set(content.data.subarray(0, data.length));
  data.fill(0, Math.min(position, data.length), Math.min(end, data.length));
  if (bytes.data.length > 0) data.set(bytes.data, position);
  return { data, length: Math.max(content.length, end) };
};

export const truncated = ({ data }: SparseBytes, length: number): SparseBytes => ({ data: data.subarray(0, length), length });
