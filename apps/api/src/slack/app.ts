import { type Env, EnvError } from '@belfry/runtime';
import type { SlackApp } from './router';

const names = ['SLACK_CLIENT_ID', 'SLACK_CLIENT_SECRET', 'SLACK_SIGNING_SECRET'] as const;

/** Reads the Slack app from the settings; undefined if none is set. Throws if only some are set. */
export function readSlackApp(env: Env<'api'>): SlackApp | undefined {
  const missing = names.filter((name) => env[name] === '');
  if (missing.length === names.length) return undefined;
  if (missing.length > 0) {
    const problem = 'is missing. Set all three Slack settings or none';
    throw new EnvError(missing.map((name) => ({ name, problem, example: undefined })));
  }
  return {
    clientId: env.SLACK_CLIENT_ID,
    clientSecret: env.SLACK_CLIENT_SECRET,
    signingSecret: env.SLACK_SIGNING_SECRET,
    apiUrl: env.SLACK_API_URL || undefined,
  };
}
