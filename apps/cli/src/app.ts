import { isPhoneRegion } from '@belfry/channels';
import { createAccountApps, createLookUps, createSystemActor } from '@belfry/database';
import {
  type AppSettings,
  isUuid,
  listAppSettings,
  listValues,
  parseAppSetting,
} from '@belfry/shared';
import { type Command, type CommandCall, type ExitCode, exitCodes } from './cli';
import { withDatabase } from './open-database';

const usage = [
  'Usage: belfry app show APP_ID',
  '       belfry app set APP_ID SETTING VALUE, where SETTING and VALUE are',
  ...listAppSettings().map(
    ([, setting]) => `         ${setting.name} ${listValues(setting).join('|')}`,
  ),
].join('\n');

/** `belfry app show APP_ID` and `belfry app set APP_ID SETTING VALUE` */
export const appCommand: Command = {
  usage: 'app show APP_ID | app set APP_ID SETTING VALUE',
  summary: 'show or set what the dashboard sets for an app, such as open_inbox_counters',
  async run(call) {
    const [verb, appId = '', name, text, ...rest] = call.args.map((arg) => arg.trim());
    if (verb === 'show' && isUuid(appId) && name === undefined) return change(call, appId, {});
    const setting = readSetting(name, text);
    if (verb === 'set' && isUuid(appId) && setting && rest.length === 0) {
      return change(call, appId, setting);
    }
    call.err(usage);
    return exitCodes.usage;
  },
};

function readSetting(
  name: string | undefined,
  text: string | undefined,
): Partial<AppSettings> | undefined {
  const entry = listAppSettings().find(([, setting]) => setting.name === name);
  const value =
    entry && text !== undefined ? parseAppSetting(entry[1], text, isPhoneRegion) : undefined;
  return entry && value !== undefined ? { [entry[0]]: value } : undefined;
}

/** Prints the settings as they are then. The audit has the change, as one of the command line. */
function change(
  { env, out, err }: CommandCall,
  id: string,
  settings: Partial<AppSettings>,
): Promise<ExitCode> {
  return withDatabase(env, async ({ accepting }) => {
    const storedApp = await createLookUps(accepting).findApp(id);
    if (!storedApp) {
      err(`No app has the id ${id}.`);
      return exitCodes.failed;
    }
    const apps = createAccountApps(accepting);
    const { accountId } = storedApp;
    await apps.change(createSystemActor(accountId), id, settings);
    const app = await apps.find(accountId, id);
    if (app) for (const [key, { name }] of listAppSettings()) out(`${name}  ${app[key] ?? 'none'}`);
    return exitCodes.ok;
  });
}
