import { discoverModels } from './language/discover-models.ts';
import { ModelSettingsError } from './language/language-model-settings.ts';
import { describeSetting, openLanguageModels } from './language/language-models.ts';

/** The language models of this machine as calls show and set them. A setting that cannot be used is an answer, because somebody typed it. */
export const openMachineModels = (options: Parameters<typeof openLanguageModels>[0]) => {
  const models = openLanguageModels(options);
  return {
    list: () =>
      Object.entries(models.read()).map(([name, setting]) => ({ ...describeSetting(name, setting), problem: models.obstacle(setting) })),
    async set(name: string, setting: Readonly<Record<string, unknown>> | null) {
      try {
        return { known: await models.set(name, setting) };
      } catch (error) {
        if (error instanceof ModelSettingsError) return { problem: error.message };
        throw error;
      }
    },
    open: models.open,
    resolve: models.resolve,
    discover: () => discoverModels(),
  };
};
