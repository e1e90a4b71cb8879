import { canonicalizeSearchedPhone } from '@belfry/channels';
import type { AccountApps, FoundRow } from '@belfry/database';
import type { FindAnswer } from '../../api/find';
import { notFound } from '../problem';
import { idOf, queryText, type Routes } from '../route';

export type FindRoutesDeps = {
  apps: Pick<AccountApps, 'find'>;
  findNamed(wanted: {
    accountId: string;
    appId: string | undefined;
    text: string;
  }): Promise<FoundRow[]>;
};

/** Of the longest that has a name: an address. */
const maxTextCharacters = 255;

/** What somebody typed or pasted: an id, an address, a key. */
export function createFindRoutes({ apps, findNamed }: FindRoutesDeps, { signedIn }: Routes) {
  return {
    find: signedIn(async (call): Promise<FindAnswer> => {
      const text = queryText(call, 'text');
      const named = queryText(call, 'app');
      const { accountId } = call.actor;
      const appId = named && idOf({ path: { app: named } }, 'app', 'app');
      if (appId && !(await apps.find(accountId, appId))) throw notFound('app');
      if (text === undefined || text.length > maxTextCharacters) return { found: [] };
      return {
        found: await findNamed({ accountId, appId, text: canonicalizeSearchedPhone(text) }),
      };
    }),
  };
}
