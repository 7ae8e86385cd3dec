// Removes build output whose source is gone, so that a deleted module cannot linger in dist/.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

if (existsSync('dist')) {
  for (const entry of readdirSync('dist', { recursive: true, withFileTypes: true })) {
    const output = join(entry.parentPath ?? entry.path, entry.name);
    // The bundle is replaced as a whole by scripts/bundle.mjs.
    if (!entry.isFile() || output.startsWith(join('dist', 'bin'))) continue;
    const source = output.replace(/^dist/, 'src').replace(/(\.d\.ts|\.js)(\.map)?$/, '.ts');
    if (!existsSync(source)) rmSync(output);
  }
}
