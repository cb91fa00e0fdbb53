// The command line from its sources, without a build: npm run dev -- --upstream "node examples/old-server.js"
import { run } from '../src/cli/main.ts';

process.exit(await run());
