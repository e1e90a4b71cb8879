import { EnvError } from './env';
import type { Shutdown } from './shutdown';
import { StartRefusedError } from './start-checks';

/** sysexits.h: the configuration is wrong. */
const exitConfiguration = 78;
const exitFault = 1;

/** Exits a process that could not start. A configuration error has its own exit code and no stack trace. */
export function failStart(error: unknown): never {
  const isConfiguration = isConfigurationError(error);
  process.stderr.write(`${isConfiguration ? error.message : String(error)}\n`);
  process.exit(isConfiguration ? exitConfiguration : exitFault);
}

/** Shuts down a running process, because a service became available that it must not use. */
export function refuseToGoOn(error: StartRefusedError, shutdown: Pick<Shutdown, 'run'>): void {
  process.stderr.write(`${error.message}\n`);
  void shutdown.run('refused').then(() => process.exit(exitConfiguration));
}

function isConfigurationError(error: unknown): error is EnvError | StartRefusedError {
  return error instanceof EnvError || error instanceof StartRefusedError;
}
