import { isPhoneRegion } from '@belfry/channels';
import { setDefaultRegion } from '@belfry/database';
import { isUuid } from '@belfry/shared';
import { type Command, type CommandCall, type ExitCode, exitCodes } from './cli';
import { withDatabase } from './open-database';

const usage =
  'Usage: belfry app set APP_ID default_region REGION, where REGION is two letters such as US or DE, or `none`';

/** `belfry app set APP_ID default_region REGION` */
export const appCommand: Command = {
  usage: 'app set APP_ID default_region REGION',
  summary: 'set the region in which an app reads phone numbers without a country code',
  async run(call) {
    const [verb, appId = '', setting, value, ...rest] = call.args.map((arg) => arg.trim());
    const region = value === undefined ? undefined : parseRegion(value);
    const isComplete = verb === 'set' && setting === 'default_region' && rest.length === 0;
    if (isComplete && isUuid(appId) && region !== undefined) {
      return changeRegion(call, appId, region);
    }
    call.err(usage);
    return exitCodes.usage;
  },
};

/** Null for none; undefined for what is no region. */
function parseRegion(text: string): string | null | undefined {
  if (text === 'none') return null;
  const region = text.toUpperCase();
  return isPhoneRegion(region) ? region : undefined;
}

function changeRegion(
  { env, out, err }: CommandCall,
  id: string,
  defaultRegion: string | null,
): Promise<ExitCode> {
  return withDatabase(env, async ({ accepting }) => {
    if (!(await setDefaultRegion(accepting, id, defaultRegion))) {
      err(`No app has the id ${id}.`);
      return exitCodes.failed;
    }
    out(`default_region of ${id}: ${defaultRegion ?? 'none'}`);
    return exitCodes.done;
  });
}
