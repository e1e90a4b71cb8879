import { canonicalizeSearchedPhone } from '@belfry/channels';
import type { AccountApps, NamedRow } from '@belfry/database';
import type { FindAnswer } from '../../api/find';
import { notFound } from '../problem';
import { queryText, type Routes, readId } from '../route';

export type FindRoutesDeps = {
  apps: Pick<AccountApps, 'find'>;
  findNamed(query: {
    accountId: string;
    appId: string | undefined;
    text: string;
  }): Promise<NamedRow[]>;
};

/** The longest searchable value is an address. */
const maxTextCharacters = 255;

/** Search text: an id, an address or a key. */
export function createFindRoutes({ apps, findNamed }: FindRoutesDeps, { signedIn }: Routes) {
  return {
    find: signedIn(async (call): Promise<FindAnswer> => {
      const text = queryText(call, 'text');
      const appParam = queryText(call, 'app');
      const { accountId } = call.actor;
      const appId = appParam && readId({ path: { app: appParam } }, 'app', 'app');
      if (appId && !(await apps.find(accountId, appId))) throw notFound('app');
      if (text === undefined || text.length > maxTextCharacters) return { found: [] };
      return {
        found: await findNamed({ accountId, appId, text: canonicalizeSearchedPhone(text) }),
      };
    }),
  };
}
