import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openApiDocument } from '../../src/server/http/open-api.ts';
import { serve } from './served-vault.ts';

const { paths } = openApiDocument();

test('the server describes every route that the reference lists beside the calls, but for its pages', () => {
  const [, after = ''] = readFileSync('docs/reference/http.md', 'utf8').split('\n## Beside the calls\n');
  const rows = [...(after.split('\n## ')[0] ?? '').matchAll(/^\| `(?:(\w+) )?(\/[^`]*)` \|/gm)];
  const documented = rows.map(([, method = 'POST', path = '']) => [path, method.toLowerCase()] as const);
  expect(documented.length).toBeGreaterThan(8);
  const pages = ['/', '/reference', '/openapi.json'];
  for (const [path, method] of documented.filter(row => !pages.includes(row[0]))) expect(paths[path], path).toHaveProperty(method);
});

test('the server has every route that it describes, and what needs no token is described so', async () => {
  const { app, request } = await serve();
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const url = path === '/v1/documents/{path}' ? '/v1/documents/*' : path.replace(/\{(\w+)\}/g, ':$1');
      if (path === '/mcp') continue;
      expect(app.hasRoute({ method: method.toUpperCase() as 'GET', url }), `${method} ${path}`).toBe(true);
      const { status } = await request(path.replace(/[{}]/g, ''), { method: method.toUpperCase(), token: null });
      const { security } = operation as { readonly security?: readonly object[] };
      expect(status === 401, `${method} ${path}`).toBe(security === undefined || security.length > 0);
    }
  }
});
