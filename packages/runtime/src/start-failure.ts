import { EnvError } from './env';
import type { Shutdown } from './shutdown';
import { StartRefusedError } from './start-checks';

/** sysexits.h: the configuration is wrong. */
const exitConfiguration = 78;
const exitFault = 1;

/** Ends a process that could not start: what an operator can mend is told without a stack, by its own exit code. */
export function failStart(error: unknown): never {
  const isConfiguration = isConfigurationError(error);
  process.stderr.write(`${isConfiguration ? error.message : String(error)}\n`);
  process.exit(isConfiguration ? exitConfiguration : exitFault);
}

/** Ends a process that runs already, in order, because a store came that it must not work with. */
export function refuseToGoOn(error: StartRefusedError, shutdown: Pick<Shutdown, 'run'>): void {
  process.stderr.write(`${error.message}\n`);
  void shutdown.run('refused').then(() => process.exit(exitConfiguration));
}

function isConfigurationError(error: unknown): error is EnvError | StartRefusedError {
  return error instanceof EnvError || error instanceof StartRefusedError;
}
