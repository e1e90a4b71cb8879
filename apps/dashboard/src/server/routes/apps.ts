import { isPhoneRegion } from '@belfry/channels';
import type { AccountAppRow, AccountApps, QueueFacts } from '@belfry/database';
import { Type } from '@sinclair/typebox';
import type { AppAnswer, AppListAnswer } from '../../api/apps';
import { invalid, notFound, Refusal } from '../problem';
import { nameSchema, readBody } from '../read-body';
import type { Routes } from '../route';

const delivery = Type.Union([Type.Literal('sandbox'), Type.Literal('live')], {
  'x-problem': 'must be sandbox or live',
});
/** Two letters; empty for none. */
const region = Type.String({ maxLength: 64 });
const newBody = Type.Object({
  name: nameSchema,
  delivery: Type.Optional(delivery),
  defaultRegion: Type.Optional(region),
});
const changeBody = Type.Partial(newBody);
const removeBody = Type.Object({ confirmName: Type.String() });

export type AppRoutesDeps = {
  apps: AccountApps;
  sending: Pick<QueueFacts, 'pauseSending' | 'resumeSending'>;
  channelNames: readonly string[];
};

/** The apps of the account. */
export function createAppRoutes(
  { apps, sending, channelNames }: AppRoutesDeps,
  { signedIn, inApp }: Routes,
) {
  async function read(accountId: string, id: string): Promise<AppAnswer> {
    const app = await apps.find(accountId, id);
    if (!app) throw notFound('app');
    return answerOf(app);
  }

  return {
    list: signedIn(async ({ actor }): Promise<AppListAnswer> => {
      const rows = await apps.list(actor.accountId);
      return { apps: rows.map(answerOf) };
    }),

    create: signedIn(async ({ actor, body }) => {
      const { name, delivery: given = 'sandbox', defaultRegion } = readBody(newBody, body);
      const settings = { delivery: given, ...readRegion(defaultRegion) };
      const id = await apps.create(actor, { name: name.trim(), ...settings });
      return read(actor.accountId, id);
    }),

    change: inApp(async ({ actor, app, body }) => {
      const change = readBody(changeBody, body);
      await apps.change(actor, app.id, {
        name: change.name?.trim(),
        delivery: change.delivery,
        ...readRegion(change.defaultRegion),
      });
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

function readRegion(given: string | undefined): { defaultRegion?: string } {
  if (given === undefined) return {};
  const defaultRegion = given.trim().toUpperCase();
  if (defaultRegion === '' || isPhoneRegion(defaultRegion)) return { defaultRegion };
  throw invalid([
    { path: 'defaultRegion', problem: 'is not a region: write two letters such as US or DE' },
  ]);
}

/** What cannot be undone asks for the name of what goes. */
export function requireName(given: string, name: string): void {
  if (given === name) return;
  throw new Refusal('needs_confirmation', `Type its name, ${name}, to remove it.`);
}

function answerOf({ createdAt, sendingPausedAt, ...app }: AccountAppRow): AppAnswer {
  return {
    ...app,
    createdAt: createdAt.getTime(),
    sendingPausedAt: sendingPausedAt?.getTime() ?? null,
  };
}
