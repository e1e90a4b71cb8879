import {
  createAppEvents,
  createCategories,
  createSuppressionFiles,
  createUnsubscribes,
  createUserPreferences,
  createUsers,
} from '@belfry/database';
import { newId } from '@belfry/runtime';
import { claimEligibleMessages, claimMessages } from '../deliver/claim.sql';
import { type Candidate, readEligibility, readObstacles } from '../deliver/eligibility.sql';
import { judgeResends } from '../operate/resend-verdict.sql';
import { claim, createDefinition, person, send, type World } from './world.fixture';

/** The event's facts for candidates. */
export const optionalNews = { kind: 'optional', category: 'news', preferences: undefined } as const;

export async function useCategories(world: World): Promise<void> {
  const { database, actor, appId, event, integrations } = world;
  const categories = createCategories(database.accepting);
  const texts = { en: { name: 'News', description: '' } };
  for (const slug of ['news', 'sports']) await categories.create(actor, appId, { slug, texts });
  await categories.change(actor, appId, { slug: 'news', texts, position: 7 });
  await categories.list(appId);
  const definition = { ...createDefinition(integrations), category: 'news' };
  const { eventId } = event;
  await createAppEvents(database.accepting).publishDefinition(actor, appId, {
    eventId,
    definition,
  });
  await categories.remove(actor, appId, 'news');
  await categories.remove(actor, appId, 'sports');
}

/** Stored preferences, and the verdicts on messages to a user who switched the category off. */
export async function usePreferences(world: World): Promise<void> {
  const { database, actor, appId, secrets } = world;
  const pool = database.accepting;
  const preferences = createUserPreferences(pool);
  const users = createUsers({ pool, secrets, newId });
  const address = { appId, userId: person.userId };
  const off = { categories: { news: { disabled: true } } };
  const user = { userId: person.userId, contact: { preferences: off } };
  await users.writeUser(pool, { appId, user });
  const byOperator = { source: 'dashboard', actor: { ...actor, appId } } as const;
  await preferences.writePreferences({ ...address, preferences: off, ...byOperator });
  await preferences.readPreferences(address);
  await preferences.changePreferences({
    ...{ ...address, ...byOperator },
    change: (stored) => ({ ...stored, disabled: true }),
  });
  await preferences.writePreferences({ ...address, preferences: off, source: 'api' });
  await setCategory(world, 'news');
  await judgeAll(world);
  await preferences.writePreferences({ ...address, preferences: {}, source: 'api' });
  await setCategory(world, undefined);
  await useOptionalSuppression(world);
  await useLinks(world);
  await useSuppressionFiles(world);
}

/** The page of the app, and unsubscribing with and without a stored user. */
async function useLinks({ database, appId, alter }: World): Promise<void> {
  const { findPage, unsubscribe } = createUnsubscribes(database.accepting);
  await findPage(appId);
  const token = { appId, messageId: newId(), channel: 'sms', target: '+4520000000' };
  await unsubscribe({ ...token, userId: person.userId });
  await unsubscribe(token);
  await alter('DELETE FROM suppression WHERE app_id = $1 AND recipient = $2', [
    appId,
    token.target,
  ]);
}

function setCategory({ alter, event }: World, category: string | undefined): Promise<void> {
  const definition = category
    ? `definition || '{"category": "${category}"}'`
    : `definition - 'category'`;
  return alter(`UPDATE event_version SET definition = ${definition} WHERE id = $1`, [
    event.versionId,
  ]);
}

async function judgeAll(world: World): Promise<void> {
  const { database, appId, integrations } = world;
  const pool = database.accepting;
  const [integrationId] = integrations;
  for (const claimSome of [claimEligibleMessages, claimMessages]) {
    const { messageId } = await send(world, { message: { integrationId } });
    await readObstacles(pool, appId, [messageId]);
    await judgeResends(pool, appId, [messageId]);
    await claimSome(database.delivery, claim([messageId]));
  }
  const candidate: Candidate = {
    ...{ channel: 'email', target: person.email, sender: undefined, deviceId: undefined },
    ...{ userId: person.userId, integrationId, chain: [], ...optionalNews },
  };
  await readEligibility(pool, appId, [candidate]);
}

/** The kind of the version decides whether such a suppression stops a message. */
async function useOptionalSuppression(world: World): Promise<void> {
  const { alter, appId } = world;
  const values = [newId(), appId, person.email];
  await alter(
    `INSERT INTO suppression (id, app_id, channel, recipient, reason, source, scope)
     VALUES ($1, $2, 'email', $3, 'complained', 'complaint', 'optional')`,
    values,
  );
  await judgeAll(world);
  await alter('DELETE FROM suppression WHERE id = $1', values.slice(0, 1));
}

async function useSuppressionFiles({ database, actor, appId, alter }: World): Promise<void> {
  const files = createSuppressionFiles(database.accepting);
  const facts = { sender: '', detail: 'moved', createdAt: new Date(), channel: 'email' };
  const reported = {
    ...facts,
    scope: 'optional',
    reason: 'complained',
    source: 'complaint',
  } as const;
  const rows = [
    { ...facts, address: 'd@example.com', scope: 'all', reason: 'manual', source: 'manual' },
    { ...reported, address: 'e@example.com' },
  ] as const;
  await files.count(appId, rows);
  await files.importAll({ ...actor, appId }, rows);
  await files.count(appId, rows);
  for (const beginning of ['', 'D'])
    for await (const page of files.walk(appId, beginning)) void page;
  await alter('DELETE FROM suppression WHERE recipient = ANY ($1)', [
    rows.map(({ address }) => address),
  ]);
}
