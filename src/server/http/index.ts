export { createHttpServer } from './create-http-server.ts';
export { defaultHttpSettings, type HttpServerOptions, type HttpSettings, type McpHttp } from './http-options.ts';
export { type Listening, type ListenOptions, listenOn } from './listen-on.ts';
export { TransportError } from './transport-error.ts';
