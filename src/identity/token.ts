import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A fresh bearer token: 256 random bits, shown once and never stored. The prefix lets secret scanners find a leaked one. */
export const createToken = (): string => `sheaf_${randomBytes(32).toString('base64url')}`;

/** What is stored. A fast hash is enough: there is nothing to guess in 256 random bits. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex');

/** Compares two hashes in a time that does not depend on where they differ. */
export const sameHash = (left: string, right: string): boolean => {
  const a = Buffer.from(left, 'hex');
  const b = Buffer.from(right, 'hex');
  return a.length === 32 && b.length === 32 && timingSafeEqual(a, b);
};
