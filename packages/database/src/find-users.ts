import { createBatcher } from '@belfry/runtime';
import type { LookUps, UserRow } from './look-ups';

type UserPlace = { appId: string; userId: string };

const maxUsersPerLookUp = 250;
const maxCallersWaiting = 5_000;

/** Finds stored users. Calls that arrive together share one query per app. */
export function createFindUser({ findUsers }: Pick<LookUps, 'findUsers'>): LookUps['findUser'] {
  async function flush(places: UserPlace[]): Promise<(UserRow | undefined)[]> {
    const usersByApp = new Map<string, Map<string, UserRow>>();
    await Promise.all(
      [...userIdsByApp(places)].map(async ([appId, userIds]) => {
        usersByApp.set(appId, await findUsers(appId, [...userIds]));
      }),
    );
    return places.map(({ appId, userId }) => usersByApp.get(appId)?.get(userId));
  }

  const users = createBatcher<UserPlace, UserRow | undefined>({
    flush,
    maxBatch: maxUsersPerLookUp,
    maxWaiting: maxCallersWaiting,
  });
  return (appId, userId) => users.add({ appId, userId });
}

function userIdsByApp(places: readonly UserPlace[]): Map<string, Set<string>> {
  const byApp = new Map<string, Set<string>>();
  for (const { appId, userId } of places) {
    const userIds = byApp.get(appId);
    if (userIds) userIds.add(userId);
    else byApp.set(appId, new Set([userId]));
  }
  return byApp;
}
