import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { initVault, openVault } from '#open-vault';
import { openFloor } from './floors.mjs';
import { generateDocument } from './generate-vault.mjs';
import { paired, timed } from './measure.mjs';

const principal = {
  id: 'local:bench',
  kind: 'human',
  workspaceIds: ['ws-bench'],
  capabilities: ['*:*'],
  authentication: { provider: 'os', assurance: 'verified' },
};

let unique = 0;
const rule = () => {
  const index = unique++;
  const { content } = generateDocument(3, 100, index + 1);
  return { path: `rules/rule-${index}.md`, content };
};

const openOurs = async root => {
  await initVault({ root, workspaceId: 'ws-bench' });
  const vault = await openVault({ root });
  const commit = async ({ path, content }) => {
    const response = await vault.execute(
      { type: 'operation', workspace_id: 'ws-bench', idempotency_key: `bench-${path}`, path, content },
      { principal },
    );
    if (!response.success) throw new Error(`${response.error.code}: ${response.error.message}`);
  };
  return { commit, close: () => vault.close() };
};

const inFreshDirectory = async (base, work) => {
  const root = mkdtempSync(join(base, 'sheaf-bench-'));
  try {
    return await work(root);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
};

const openBoth = async (root, use) => {
  mkdirSync(join(root, 'ours'));
  mkdirSync(join(root, 'other'));
  const ours = await openOurs(join(root, 'ours'));
  const floor = openFloor(join(root, 'other'));
  try {
    return await use(ours, floor);
  } finally {
    await ours.close();
    floor.close();
  }
};

/** One caller, the whole pipeline, against the three barriers in series. */
export const commitSerial = ({ base, repetitions, size = 40 }) =>
  inFreshDirectory(base, root =>
    openBoth(root, (ours, floor) =>
      paired({
        repetitions,
        ours: async () =>
          (await timed(async () => {
            for (let i = 0; i < size; i++) await ours.commit(rule());
          })) / size,
        other: async () =>
          (await timed(() => {
            for (let i = 0; i < size; i++) {
              const { path, content } = rule();
              floor.commitOne(path.slice(6), content);
            }
          })) / size,
      }),
    ),
  );

/** `callers` callers at once, against the same documents behind the same three barriers. */
export const commitGroup = ({ base, repetitions, callers, rounds = 4 }) =>
  inFreshDirectory(base, root =>
    openBoth(root, (ours, floor) =>
      paired({
        repetitions,
        ours: async () => {
          const each = async () => {
            for (let i = 0; i < rounds; i++) await ours.commit(rule());
          };
          return (await timed(() => Promise.all(Array.from({ length: callers }, each)))) / (callers * rounds);
        },
        other: async () =>
          (await timed(async () => {
            for (let i = 0; i < rounds; i++) {
              await floor.commitBatch(
                Array.from({ length: callers }, () => {
                  const { path, content } = rule();
                  return [path.slice(6), content];
                }),
              );
            }
          })) /
          (callers * rounds),
      }),
    ),
  );

/** One caller against `git commit` per change, with git's defaults. */
export const versusGit = ({ base, repetitions, size = 10 }) =>
  inFreshDirectory(base, async root => {
    const repository = join(root, 'git');
    mkdirSync(join(repository, 'rules'), { recursive: true });
    const git = (...args) =>
      execFileSync('git', ['-c', 'user.name=bench', '-c', 'user.email=bench@example.invalid', ...args], {
        cwd: repository,
        stdio: 'ignore',
      });
    git('init', '-q');
    mkdirSync(join(root, 'ours'));
    const ours = await openOurs(join(root, 'ours'));
    try {
      return await paired({
        repetitions,
        ours: async () =>
          (await timed(async () => {
            for (let i = 0; i < size; i++) await ours.commit(rule());
          })) / size,
        other: async () =>
          (await timed(() => {
            for (let i = 0; i < size; i++) {
              const { path, content } = rule();
              writeFileSync(join(repository, path), content);
              git('add', path);
              git('commit', '-q', '-m', path);
            }
          })) / size,
      });
    } finally {
      await ours.close();
    }
  });
