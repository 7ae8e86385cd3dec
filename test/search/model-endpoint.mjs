// The endpoint of the guide's embedding model: prints its address and answers until it is killed.
import { createConceptEmbedder, serveEmbedder } from '../../dist/adapter-contracts/testing/index.js';

const { baseUrl } = await serveEmbedder(createConceptEmbedder());
process.stdout.write(`${baseUrl}\n`);
