import { isPhoneRegion } from '@belfry/channels';
import type { AccountAppRow, AccountApps } from '@belfry/database';
import type { QueueFacts } from '@belfry/pipeline/operate';
import { type AppSetting, type AppSettings, listAppSettings, listValues } from '@belfry/shared';
import { type TProperties, type TSchema, Type } from '@sinclair/typebox';
import type { AppAnswer, AppListAnswer } from '../../api/apps';
import { invalid, notFound, Refusal } from '../problem';
import { nameSchema, readBody } from '../read-body';
import type { Routes } from '../route';

const notARegion = 'must be a two-letter region such as US or DE';
const settingSchemas: TProperties = Object.fromEntries(
  listAppSettings().map(([key, setting]) => [key, Type.Optional(createSchema(setting))]),
);
const newBody = Type.Object({ ...settingSchemas, name: nameSchema });
const changeBody = Type.Object({ ...settingSchemas, name: Type.Optional(nameSchema) });
const removeBody = Type.Object({ confirmName: Type.String() });

export type AppRoutesDeps = {
  apps: AccountApps;
  sending: Pick<QueueFacts, 'pauseSending' | 'resumeSending'>;
  channelNames: readonly string[];
};

/** Apps of the account. */
export function createAppRoutes(
  { apps, sending, channelNames }: AppRoutesDeps,
  { signedIn, inApp }: Routes,
) {
  async function read(accountId: string, id: string): Promise<AppAnswer> {
    const app = await apps.find(accountId, id);
    if (!app) throw notFound('app');
    return toAppAnswer(app);
  }

  return {
    list: signedIn(async ({ actor }): Promise<AppListAnswer> => {
      const rows = await apps.list(actor.accountId);
      return { apps: rows.map(toAppAnswer) };
    }),

    create: signedIn(async ({ actor, body }) => {
      const { name, ...settings } = readBody(newBody, body);
      const id = await apps.create(actor, { ...pickSettings(settings), name: name.trim() });
      return read(actor.accountId, id);
    }),

    change: inApp(async ({ actor, app, body }) => {
      const { name, ...settings } = readBody(changeBody, body);
      const change = {
        ...pickSettings(settings),
        ...(name === undefined ? {} : { name: name.trim() }),
      };
      await apps.change(actor, app.id, change);
      return read(actor.accountId, app.id);
    }),

    pause: inApp(async ({ actor, app }) => {
      await sending.pauseSending(actor, app.id, channelNames);
      return read(actor.accountId, app.id);
    }),

    resume: inApp(async ({ actor, app }) => {
      await sending.resumeSending(actor, app.id);
      return read(actor.accountId, app.id);
    }),

    remove: inApp(
      async ({ actor, app, body }) => {
        requireName(readBody(removeBody, body).confirmName, app.name);
        await apps.remove(actor, app.id);
        return { success: true };
      },
      { isForOwners: true },
    ),
  };
}

function createSchema(setting: AppSetting): TSchema {
  // pickSettings checks that the region exists.
  if (setting.kind === 'region') {
    return Type.Union([Type.String(), Type.Null()], { 'x-problem': notARegion });
  }
  const rule = { 'x-problem': `must be ${listValues(setting).join(' or ')}` };
  return setting.kind === 'switch'
    ? Type.Boolean(rule)
    : Type.Union(
        setting.choices.map(({ value }) => Type.Literal(value)),
        rule,
      );
}

/** Settings of a body that matches the schemas above. */
function pickSettings(settings: { [name: string]: unknown }): Partial<AppSettings> {
  return Object.fromEntries(
    listAppSettings().flatMap(([key, { kind }]) => {
      const value = settings[key];
      if (kind === 'region' && typeof value === 'string' && !isPhoneRegion(value)) {
        throw invalid([{ path: key, problem: notARegion }]);
      }
      return value === undefined ? [] : [[key, value]];
    }),
  );
}

/** An irreversible deletion requires typing the name. */
export function requireName(confirmName: string, name: string): void {
  if (confirmName === name) return;
  throw new Refusal('needs_confirmation', `Enter the name of the app, ${name}, to remove it.`);
}

function toAppAnswer({ createdAt, sendingPausedAt, ...app }: AccountAppRow): AppAnswer {
  return {
    ...app,
    createdAt: createdAt.getTime(),
    sendingPausedAt: sendingPausedAt?.getTime() ?? null,
  };
}
