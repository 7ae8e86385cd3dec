import { EmbedderUnavailableError } from '#adapter-contracts';

/** The text of a response that may have at most `maxBytes`; a longer one is cut off while it comes and refused. */
export const readBounded = async (response: Response, maxBytes: number): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    // Leaving the loop cancels the stream and closes the connection.
    if (size > maxBytes) throw new EmbedderUnavailableError(`${response.url} answers with more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};
