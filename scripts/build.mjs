// npm run build: compiles everything that `npm start` and the tests run.
import { endOnSignals } from './commands.mjs';
import { fail } from './steps.mjs';
import { ensureBuilt } from './workspace.mjs';

endOnSignals();
ensureBuilt().catch(fail);
