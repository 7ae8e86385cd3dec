export { type ConfiguredEmbedder, type EmbedderFile, givenEmbedder, noEmbedder, openEmbedderFile } from './configured-embedder.ts';
export { EmbedderSettingsError } from './embedder-settings.ts';
export { openLanguageModels } from './language/language-models.ts';
export { isLoopbackUrl } from './loopback.ts';
export { openMachineModels } from './machine-models.ts';
