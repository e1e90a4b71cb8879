import type { AccountApp, AccountApps } from '@belfry/database';
import type { RequestHandler } from 'express';
import { type AppInfo, type AppList, appChangeBody, newAppBody } from '../api-types/apps';
import { actorOf, appOf, sessionOf } from '../call';
import { createBodyReader } from '../read-body';

export type AppRoutesDeps = { apps: AccountApps };

type AppRoutes = { list: RequestHandler; create: RequestHandler; change: RequestHandler };

export function createAppRoutes({ apps }: AppRoutesDeps): AppRoutes {
  const readNew = createBodyReader(newAppBody);
  const readChange = createBodyReader(appChangeBody);

  const list: RequestHandler = async (_req, res) => {
    const answer: AppList = {
      apps: (await apps.listApps(sessionOf(res).accountId)).map(infoOf),
    };
    res.json(answer);
  };

  const create: RequestHandler = async (req, res) => {
    const { name, delivery } = readNew(req);
    res.json(infoOf(await apps.createApp(actorOf(res), { name, delivery })));
  };

  const change: RequestHandler = async (req, res) => {
    res.json(infoOf(await apps.changeApp(actorOf(res), appOf(res).id, readChange(req))));
  };

  return { list, create, change };
}

function infoOf({ id, name, delivery, openInboxCounters, createdAt }: AccountApp): AppInfo {
  return { id, name, delivery, openInboxCounters, createdAt: createdAt.toISOString() };
}
