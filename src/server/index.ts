export { OidcSettingsError } from '#identity';
export { createHttpServer, defaultHttpSettings, type HttpServerOptions, type HttpSettings } from '#server/http';
export { defaultPort, InsecureHostError, type RunningServer, type ServerOptions, startServer } from './start-server.ts';
