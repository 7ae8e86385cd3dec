/** The lines of a body as they arrive, without their ends (LF or CRLF). What follows the last end counts as no line: it may be torn. */
export async function* linesOf(body: Response['body']): AsyncGenerator<string> {
  if (body === null) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const lines = `${rest}${decoder.decode(value as Uint8Array, { stream: true })}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line;
    }
  } finally {
    // Also when the consumer stops early; a connection nobody reads would otherwise stay open.
    await reader.cancel().catch(() => undefined);
  }
}
