import { errorCodes, errorStatuses } from '#errors';
import { type OpenApiOperation, type OpenApiPart, openApiDocument } from './open-api.ts';
import { transportStatuses } from './transport-error.ts';

/** What stands at `/` until there is an interface for people: where things are. */
export const startPage = (): string =>
  htmlPage(
    'Sheaf',
    `<h1>Sheaf is running</h1>
<p>This server answers programs and agents. A page to read and write in comes with a later version; until then the command line and your editor show the vault.</p>
<p><a href="/reference">The routes</a>, and for agents the address <code>/mcp</code>.</p>`,
  );

/** The OpenAPI document for people: one page, no script, nothing from elsewhere. */
export const referencePage = (): string => {
  const { paths } = openApiDocument();
  const sections = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => operationSection(method, path, operation)),
  );
  return htmlPage(
    'Sheaf over HTTP',
    `<h1>Sheaf over HTTP</h1>
<p>Every request but <code>/healthz</code> and the pages carries <code>Authorization: Bearer TOKEN</code>. Envelopes are those of the Operation Contract, version 0.9. For machines: <code>/openapi.json</code>.</p>
${sections.join('\n')}
<section><h2>Codes</h2><table><tr><th>code</th><th>status</th><th></th></tr>${codeRows()}</table></section>`,
  );
};

const htmlPage = (title: string, body: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${title}</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem}code{font-family:ui-monospace,monospace}
section{border-top:1px solid #8884;padding:.5rem 0}h2{font-size:1.05rem;margin:.6rem 0 .2rem}table{border-collapse:collapse}td,th{text-align:left;padding:.15rem .9rem .15rem 0;vertical-align:top}
p{margin:.3rem 0}:root{color-scheme:light dark}</style></head><body>
${body}
</body></html>
`;

const operationSection = (method: string, path: string, { summary, parameters = [], responses, requestBody }: OpenApiOperation): string => {
  const rows = [...parameters.map(parameterRow), ...bodyRows(requestBody as OpenApiPart | undefined)];
  return `<section><h2><code>${method.toUpperCase()} ${escaped(path)}</code></h2><p>${escaped(summary)}</p>${
    rows.length === 0 ? '' : `<table>${rows.join('')}</table>`
  }<p>Answers ${Object.keys(responses)
    .filter(status => status !== 'default')
    .join(', ')}.</p></section>`;
};

const parameterRow = ({ name, in: where, required, description, schema }: OpenApiPart): string =>
  row(
    String(name),
    `${String(where)}${required === true ? ', required' : ''}`,
    typeof description === 'string' ? description : typeText(schema as OpenApiPart),
  );

const bodyRows = (body: OpenApiPart | undefined): readonly string[] => {
  const content = (body?.content ?? {}) as Record<string, { readonly schema?: OpenApiPart }>;
  const schema = Object.values(content)[0]?.schema ?? {};
  const required = (schema.required ?? []) as readonly string[];
  return Object.entries((schema.properties ?? {}) as Record<string, OpenApiPart>).map(([name, property]) =>
    row(
      name,
      `body${required.includes(name) ? ', required' : ''}`,
      typeof property.description === 'string' ? property.description : typeText(property),
    ),
  );
};

const typeText = (schema: OpenApiPart | undefined): string => {
  if (schema === undefined) return '';
  if (Array.isArray(schema.enum)) return schema.enum.join(', ');
  return schema.type === undefined ? 'any' : [schema.type as string | readonly string[]].flat().join(' or ');
};

const codeRows = (): string => {
  const contract = Object.entries(errorStatuses).map(([code, status]) =>
    row(code, String(status), errorCodes[code as keyof typeof errorCodes]),
  );
  const transport = Object.entries(transportStatuses).map(([code, status]) => row(code, String(status), 'Never reached the contract.'));
  return [...contract, ...transport].join('');
};

const row = (...cells: readonly string[]): string =>
  `<tr>${cells.map((cell, index) => `<td>${index === 0 ? `<code>${escaped(cell)}</code>` : escaped(cell)}</td>`).join('')}</tr>`;

const escaped = (text: string): string => text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`);
