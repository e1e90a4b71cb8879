// npm run build: everything that `npm start` and the tests run, compiled.
import { endOnSignals } from './commands.mjs';
import { fail } from './steps.mjs';
import { ensureBuilt } from './workspace.mjs';

endOnSignals();
ensureBuilt().catch(fail);
