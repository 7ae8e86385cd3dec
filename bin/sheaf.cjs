#!/usr/bin/env node
// CommonJS, and first: libuv reads UV_THREADPOOL_SIZE once, before any ES module of ours would run.
process.env.UV_THREADPOOL_SIZE ??= '24';
void import('../dist/bin/main.js').then(cli => cli.main(process.argv.slice(2)));
