import { readFrontmatter, type Vault } from '#api';
import { errorCodes, errorStatuses } from '#errors';
import { openMemoryVault } from '#open-vault';
import { asText } from './json.ts';
import { execute } from './library-vault.ts';
import { baseline } from './parse-step.ts';

/** What a copy of the standard says against what this build does (§12). */
export interface SpecificationReport {
  readonly examples: number;
  readonly types: number;
  readonly codes: number;
  /** One sentence per difference, with the line of the text. */
  readonly problems: readonly string[];
}

interface Example {
  readonly line: number;
  readonly text: string;
  readonly type: string;
  readonly reference: string | null;
}

/** Checks every example document of a copy of the standard, its table of types (§5.1) and its table of codes (§6.5). Finding none is a problem, too. */
export const checkSpecification = async (text: string): Promise<SpecificationReport> => {
  const vault = await openMemoryVault({ workspaceId: 'ws-a' });
  const examples = exampleDocuments(text);
  const types = tableRows(text, '### 5.1', 4);
  const codes = tableRows(text, '### 6.5', 3);
  const problems = [
    ...(await exampleProblems(examples, vault)),
    ...typeProblems(types, vault),
    ...codeProblems(codes),
    ...(examples.length === 0 ? ['no example document found: is this a copy of the standard?'] : []),
  ];
  await vault.close();
  return { examples: examples.length, types: types.length, codes: codes.length, problems };
};

const exampleDocuments = (text: string): readonly Example[] =>
  [...text.matchAll(/^```markdown\n(---\n[\s\S]*?)^```$/gm)].map(match => {
    const data = readFrontmatter(match[1] ?? '')?.data ?? {};
    const reference = data.resource_ref;
    return {
      line: text.slice(0, match.index).split('\n').length + 1,
      text: match[1] ?? '',
      type: asText(data.type),
      reference: typeof reference === 'string' ? reference : null,
    };
  });

const exampleProblems = async (examples: readonly Example[], vault: Vault): Promise<readonly string[]> => {
  const write = (path: string, content: string, key: string) => {
    const envelope = { type: 'operation', workspace_id: 'ws-a', idempotency_key: key, path, content };
    return execute(vault, { envelope, principal: baseline, context: {} });
  };
  const resource = examples.find(example => example.type === 'resource');
  const problems: string[] = [];
  for (const { line, text, type, reference } of examples) {
    // An example may name another document; the standard's own example of that type stands in for it.
    if (reference !== null && resource !== undefined) await write(reference, resource.text, `reference ${reference}`);
    const response = await write(`examples/line-${line}.md`, text, `example ${line}`);
    const error = response.error as { readonly message: string } | undefined;
    if (error !== undefined) problems.push(`line ${line}: the example of '${type}' is refused: ${error.message}`);
  }
  return problems;
};

interface Row {
  readonly line: number;
  readonly cells: readonly string[];
}

// The rows of the tables of one section whose first cell is code.
const tableRows = (text: string, heading: string, columns: number): readonly Row[] => {
  const rows: Row[] = [];
  let inside = false;
  const lines = text.split('\n');
  for (const [index, line] of lines.entries()) {
    if (/^#{1,3} /.test(line)) inside = line.startsWith(`${heading} `);
    const cells = line.split('|').slice(1, -1);
    const isHeading = /^\|[\s|:-]+$/.test(lines[index + 1] ?? '');
    if (inside && !isHeading && cells.length === columns && /^ `\w+` $/.test(cells[0] ?? '')) {
      rows.push({ line: index + 1, cells: cells.map(cell => cell.trim().replaceAll('`', '')) });
    }
  }
  return rows;
};

const typeProblems = (rows: readonly Row[], vault: Vault): readonly string[] => {
  const listed = new Set(rows.map(row => row.cells[0]));
  const own = vault.registry.documentTypes
    .filter(({ type }) => !listed.has(type))
    .map(({ type }) => `§5.1 does not list '${type}', which this build has`);
  const differing = rows.flatMap(({ line, cells: [type = '', family, portability] }) => {
    const definition = vault.registry.documentTypes.find(known => known.type === type);
    if (definition === undefined) return [`line ${line}: this build has no type '${type}'`];
    return [
      ...(definition.portability === portability ? [] : [`line ${line}: '${type}' is ${portability}, here ${definition.portability}`]),
      ...(definition.family === family ? [] : [`line ${line}: '${type}' is of family ${family}, here ${definition.family}`]),
    ];
  });
  return [...own, ...differing];
};

const codeProblems = (rows: readonly Row[]): readonly string[] => {
  const listed = new Set(rows.map(row => row.cells[0]));
  const own = Object.keys(errorCodes)
    .filter(code => !listed.has(code))
    .map(code => `§6.5 does not list '${code}', which this build has`);
  const differing = rows.flatMap(({ line, cells: [code = '', status] }) => {
    if (!isCode(code)) return [`line ${line}: this build has no code '${code}'`];
    return [
      ...(asText(errorStatuses[code]) === status ? [] : [`line ${line}: '${code}' has status ${status}, here ${errorStatuses[code]}`]),
    ];
  });
  return [...own, ...differing];
};

const isCode = (code: string): code is keyof typeof errorCodes => Object.hasOwn(errorCodes, code);
