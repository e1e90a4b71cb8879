import { canonicalizeSearchedPhone } from '@belfry/channels';
import type { AccountApps, NamedRow } from '@belfry/database';
import { notFound } from '../problem';
import { type Handlers, readId } from '../route';

export type FindHandlersDeps = {
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
export function createFindHandlers({ apps, findNamed }: FindHandlersDeps) {
  return {
    async 'GET /api/find'({ actor: { accountId }, query: { text, app } }) {
      const appId = app && readId(app, 'app');
      if (appId && !(await apps.find(accountId, appId))) throw notFound('app');
      if (text === undefined || text.length > maxTextCharacters) return { found: [] };
      return {
        found: await findNamed({ accountId, appId, text: canonicalizeSearchedPhone(text) }),
      };
    },
  } satisfies Partial<Handlers>;
}
