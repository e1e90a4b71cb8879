import { type Env, EnvError } from '@belfry/runtime';

/** Throws EnvError for settings that this command cannot do without, though others can. */
export function needSettings(env: Env<'cli'>, names: (keyof Env<'cli'>)[]): void {
  const missing = names.filter((name) => env[name] === '');
  if (missing.length === 0) return;
  throw new EnvError(
    missing.map((name) => ({ name, problem: 'is missing for this command', example: undefined })),
  );
}
