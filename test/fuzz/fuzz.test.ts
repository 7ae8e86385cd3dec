import { testTarget } from './engine/run-target.ts';
import { createConfigurationTarget } from './targets/configuration.ts';
import { createEnvelopeTarget } from './targets/envelope.ts';
import { createFrontmatterTarget } from './targets/frontmatter.ts';
import { createJsonTarget } from './targets/json.ts';
import { createLogTarget } from './targets/log.ts';
import { createMarkdownTarget } from './targets/markdown.ts';
import { createPatchTarget } from './targets/patch.ts';
import { createPathTarget } from './targets/path.ts';
import { createRegistryTarget } from './targets/registry.ts';

for (const target of [
  createFrontmatterTarget(),
  createPatchTarget(),
  createEnvelopeTarget(),
  createJsonTarget(),
  createPathTarget(),
  createRegistryTarget(),
  createConfigurationTarget(),
  createMarkdownTarget(),
  createLogTarget(),
])
  testTarget(target);
