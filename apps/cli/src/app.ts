import { isPhoneRegion } from '@belfry/channels';
import { createAccountApps, createLookUps, createSystemActor } from '@belfry/database';
import {
  type AppSettings,
  isUuid,
  listAppSettings,
  listValues,
  parseAppSetting,
} from '@belfry/shared';
import { type Command, type CommandCall, type ExitCode, exitCodes, UsageError } from './cli';
import { withDatabase } from './open-database';

const settingForms = listAppSettings().map(
  ([, setting]) => `${setting.name} ${listValues(setting).join('|')}`,
);

/** `belfry app show APP_ID` and `belfry app set APP_ID SETTING VALUE` */
export const appCommand: Command = {
  help: {
    usage: ['app show APP_ID', 'app set APP_ID SETTING VALUE'],
    summary: 'Show or change the settings of an app',
    arguments: {
      APP_ID: 'ID of an app (a UUID).',
      'SETTING VALUE': `One of: ${settingForms.join(', ')}.`,
    },
    failure: 'No app has this ID, or the database failed.',
    example: `app set 0195f3a2-7c1e-7b58-9d0a-3f6f5b2c9e11 delivery live`,
  },
  async run(call) {
    const [verb, appId = '', ...args] = call.args.map((arg) => arg.trim());
    if (verb !== 'show' && verb !== 'set') {
      throw new UsageError('Enter `show` or `set` after `app`.');
    }
    if (!isUuid(appId)) throw new UsageError('Enter the ID of an app (a UUID).');
    if (verb === 'set') return change(call, appId, readSetting(args));
    if (args.length > 0) throw new UsageError('`app show` takes only the ID of an app.');
    return change(call, appId, {});
  },
};

function readSetting([name, text, ...rest]: string[]): Partial<AppSettings> {
  if (name === undefined || text === undefined || rest.length > 0) {
    throw new UsageError('Enter one setting and one value.');
  }
  const entry = listAppSettings().find(([, setting]) => setting.name === name);
  if (!entry) throw new UsageError(`Unknown setting "${name}".`);
  const [key, setting] = entry;
  const value = parseAppSetting(setting, text, isPhoneRegion);
  if (value === undefined) {
    throw new UsageError(`"${text}" is not a valid value of ${name}.`);
  }
  return { [key]: value };
}

/** Prints the settings after the change. The audit log records the change without an operator. */
function change(
  { env, out, err }: CommandCall,
  id: string,
  settings: Partial<AppSettings>,
): Promise<ExitCode> {
  return withDatabase(env, async ({ accepting }) => {
    const storedApp = await createLookUps(accepting).findApp(id);
    if (!storedApp) {
      err(`No app has the ID ${id}.`);
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
