import { type Call, calls, runCall } from '#api';
import { isVaultError } from '#errors';
import type { ParityVault, Surface } from './surface.ts';

/** The calls themselves, as a program that links the library makes them. */
export const librarySurface = ({ vault, principalOf }: ParityVault): Surface => ({
  name: 'library',
  missing: [],
  ask: async (call, input, who) => {
    try {
      return { output: await runCall(calls[call] as unknown as Call, vault, { principal: await principalOf(who) }, input) };
    } catch (error) {
      if (isVaultError(error)) return { refused: error.code };
      throw error;
    }
  },
});
