/** A file system failure as Node spells it: an Error whose `code` says what went wrong. */
export const fileSystemError = (code: string, call: string, path = ''): NodeJS.ErrnoException =>
  Object.assign(new Error(`${code}: ${call}${path === '' ? '' : ` '${path}'`}`), { code, syscall: call, path });
