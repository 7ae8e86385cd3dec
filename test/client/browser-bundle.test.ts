import { runInNewContext } from 'node:vm';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';
import { rule, serve } from '../server/served-vault.ts';

/** What a page has, and nothing that only Node has. */
const browserGlobals = (origin: string) => ({
  fetch,
  Response,
  AbortController,
  TextDecoder,
  crypto: { getRandomValues: (bytes: Uint8Array) => crypto.getRandomValues(bytes) },
  setTimeout,
  clearTimeout,
  location: { origin },
});

const bundle = async (format: 'esm' | 'iife'): Promise<string> => {
  const build = await rolldown({ input: 'src/server/http/client/index.ts', platform: 'browser', logLevel: 'silent', external: /^node:/ });
  const { output } = await build.generate({ format, name: 'sheaf' });
  await build.close();
  expect(output).toHaveLength(1);
  return output[0].code;
};

test('the client is one browser module that imports nothing and names nothing of Node', async () => {
  const code = await bundle('esm');
  expect(code).toContain('createClient');
  expect(code).not.toMatch(/\bimport\b|\brequire\(|\bnode:|\bprocess\.|\bBuffer\b|__dirname/);
  expect(code.length).toBeLessThan(40_000);
});

test("the bundled client works with a page's globals alone: it writes, reads and follows from where the page comes from", async () => {
  const { origin, admit } = await serve();
  const token = await admit('page');
  const script = `${await bundle('iife')}
    (async () => {
      const client = sheaf.createClient({ token });
      await client.documents.write('rules/a.md', text, { ifMatch: null });
      await client.documents.update('rules/a.md', { title: 'From a page' });
      const seen = [];
      for await (const event of client.events.follow({ from: 'start' })) {
        seen.push(event.action);
        if (seen.length === 2) break;
      }
      return JSON.stringify({ seen, content: (await client.documents.read('rules/a.md')).content });
    })()`;
  const result = JSON.parse(await (runInNewContext(script, { ...browserGlobals(origin), token, text: rule() }) as Promise<string>));
  expect(result).toEqual({ seen: ['create', 'patch'], content: rule().replace('title: T', 'title: From a page') });
});
