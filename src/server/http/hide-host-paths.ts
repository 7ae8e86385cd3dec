import type { KernelResponse } from '#api';
import { isSystemMessage, withoutHostPaths } from '#errors';

/** Takes the places of files on this machine out of what an operating system's error says; paths inside the vault stay readable. */
export type HidePaths = (text: string) => string;

export const createHidePaths = (root: string | null): HidePaths => {
  const inVault = (text: string): string => (root === null || root === '/' ? text : text.replaceAll(root, '<vault>'));
  return text => {
    const named = inVault(text);
    return isSystemMessage(named) ? withoutHostPaths(named) : named;
  };
};

/** A response as a client may see it: failures of the host and late warnings without places on this machine. */
export const hideInResponse = (response: KernelResponse, hide: HidePaths): KernelResponse => {
  const { warnings } = response.validation;
  const internal = !response.success && response.error.code === 'internal_error';
  if (warnings.length === 0 && !internal) return response;
  const validation = { ...response.validation, warnings: warnings.map(hide) };
  if (response.success) return { ...response, validation } as KernelResponse;
  const { code, message } = response.error;
  return { ...response, validation, error: { code, message: internal ? hide(message) : message } } as KernelResponse;
};
