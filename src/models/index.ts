export {
  type ConfiguredEmbedder,
  type EmbedderFile,
  givenEmbedder,
  noEmbedder,
  openEmbedder,
  openEmbedderFile,
} from './configured-embedder.ts';
export { type EmbedderSettings, EmbedderSettingsError, embedsPrivate } from './embedder-settings.ts';
export { isLoopbackUrl } from './loopback.ts';
