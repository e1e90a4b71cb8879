import { isPhoneRegion } from '@belfry/channels';
import type { AccountAppRow, AccountApps } from '@belfry/database';
import type { QueueFacts } from '@belfry/pipeline/operate';
import { type AppSettings, listAppSettings } from '@belfry/shared';
import { type AppAnswer, notARegion } from '../../api/apps';
import { invalid, notFound, Refusal } from '../problem';
import type { Handlers } from '../route';

export type AppHandlersDeps = {
  apps: AccountApps;
  sending: Pick<QueueFacts, 'pauseSending' | 'resumeSending'>;
  channelNames: readonly string[];
};

/** Apps of the account. */
export function createAppHandlers({ apps, sending, channelNames }: AppHandlersDeps) {
  async function read(accountId: string, id: string): Promise<AppAnswer> {
    const app = await apps.find(accountId, id);
    if (!app) throw notFound('app');
    return toAppAnswer(app);
  }

  return {
    async 'GET /api/apps'({ actor }) {
      const rows = await apps.list(actor.accountId);
      return { apps: rows.map(toAppAnswer) };
    },

    async 'POST /api/apps'({ actor, body: { name, ...settings } }) {
      const id = await apps.create(actor, { ...pickSettings(settings), name: name.trim() });
      return read(actor.accountId, id);
    },

    async 'PATCH /api/apps/:appId'({ actor, app, body: { name, ...settings } }) {
      const change = {
        ...pickSettings(settings),
        ...(name === undefined ? {} : { name: name.trim() }),
      };
      await apps.change(actor, app.id, change);
      return read(actor.accountId, app.id);
    },

    async 'DELETE /api/apps/:appId'({ actor, app, body }) {
      requireName(body.confirmName, app.name);
      await apps.remove(actor, app.id);
      return { success: true };
    },

    async 'POST /api/apps/:appId/pause'({ actor, app }) {
      await sending.pauseSending(actor, app.id, channelNames);
      return read(actor.accountId, app.id);
    },

    async 'POST /api/apps/:appId/resume'({ actor, app }) {
      await sending.resumeSending(actor, app.id);
      return read(actor.accountId, app.id);
    },
  } satisfies Partial<Handlers>;
}

/** Settings of a body that matches the contract. */
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
