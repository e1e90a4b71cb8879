import { type Env, EnvError } from '@belfry/runtime';

/** Throws EnvError if a setting is missing that this command requires and other commands do not. */
export function needSettings(env: Env<'cli'>, names: (keyof Env<'cli'>)[]): void {
  const missing = names.filter((name) => env[name] === '');
  if (missing.length === 0) return;
  throw new EnvError(
    missing.map((name) => ({ name, problem: 'is required by this command', example: undefined })),
  );
}
