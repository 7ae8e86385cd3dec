import { type ClientOptions, createClient, type SheafClient } from '#server/http/client';
import { type Served, type ServeOptions, serve } from '../server/served-vault.ts';
import { createFlakyNetwork, type FlakyNetwork } from './flaky-network.ts';

export interface ServedClient extends Served {
  readonly client: SheafClient;
  readonly network: FlakyNetwork;
  /** Another client, as a principal of its own. */
  readonly clientOf: (id: string, capabilities?: readonly string[], options?: Partial<ClientOptions>) => Promise<SheafClient>;
}

/** A server, and a client of it whose network can fail. */
export const serveClient = async (options: ServeOptions = {}): Promise<ServedClient> => {
  const served = await serve(options);
  const network = createFlakyNetwork();
  const clientOf: ServedClient['clientOf'] = async (id, capabilities, more = {}) =>
    createClient({ endpoint: served.origin, token: await served.admit(id, capabilities), fetch: network.fetch as never, ...more });
  return { ...served, network, clientOf, client: await clientOf('client') };
};
