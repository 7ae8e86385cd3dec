export { createHttpServer } from './create-http-server.ts';
export { defaultHttpSettings, type HttpServerOptions, type HttpSettings, type McpHttpHandler } from './http-options.ts';
export { TransportError } from './transport-error.ts';
