export {
  type ConfiguredEmbedder,
  type EmbedderFile,
  givenEmbedder,
  noEmbedder,
  openEmbedder,
  openEmbedderFile,
} from './configured-embedder.ts';
export { type EmbedderSettings, EmbedderSettingsError, embedsPrivate } from './embedder-settings.ts';
export { discoverModels, type FoundEndpoint } from './language/discover-models.ts';
export { type ModelSetting, type ModelSettings, ModelSettingsError } from './language/language-model-settings.ts';
export { describeSetting, type LanguageModels, openLanguageModels, type ResolvedModel } from './language/language-models.ts';
export { isLoopbackUrl } from './loopback.ts';
