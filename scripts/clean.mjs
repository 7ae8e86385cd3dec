// Removes build output whose source is gone, so that a deleted module cannot linger in dist/.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

if (existsSync('dist')) {
  for (const entry of readdirSync('dist', { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const output = join(entry.parentPath ?? entry.path, entry.name);
    const source = output.replace(/^dist/, 'src').replace(/(\.d\.ts|\.js)(\.map)?$/, '.ts');
    if (!existsSync(source)) rmSync(output);
  }
}
