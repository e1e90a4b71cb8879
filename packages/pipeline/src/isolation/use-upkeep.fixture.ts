import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  checkReplica,
  countNeedsAttention,
  createAppEvents,
  createAppUsers,
  createDatabaseCheck,
  createReadiness,
  integrationPlace,
  itemTokenPlace,
  listHeartbeats,
  readDatabaseTime,
  readOldestWaiting,
  removeHeartbeat,
  seedDemo,
  totpPlace,
  webhookSecretsPlace,
  writeHeartbeat,
} from '@belfry/database';
import { createSecrets } from '@belfry/runtime';
import { testKeyRing } from '@belfry/testing';
import { sealTexts } from '../accept/sealed-items';
import { createArchive } from '../archive/archive';
import { writeCapture } from '../deliver/capture.sql';
import { claimMessages } from '../deliver/claim.sql';
import {
  countStorage,
  findAccountStorage,
  listLimitedAccounts,
  readStorageTotals,
  setStorageLimit,
} from '../operate/account-storage.sql';
import { createAppCaptures } from '../operate/captures';
import { listIntegrations, sendsOptionalMail } from '../operate/doctor.sql';
import { eraseUser } from '../operate/erase';
import { listOldKeys, rotateKeys } from '../operate/rotate-keys';
import { hasOpenWork, readUptime } from '../relay/relay.sql';
import { createUpkeepTasks } from '../relay/retention.sql';
import { withStorageLock, withUpkeepLock } from '../relay/retention-lock';
import { useInApp } from './use-deliver.fixture';
import { useUsers } from './use-gateway.fixture';
import { useInstallationRow } from './use-installation.fixture';
import { person, send, type World } from './world.fixture';

const migrationsDir = path.resolve(__dirname, '../../../..', 'prisma/migrations');

export async function useInstallation(world: World): Promise<void> {
  const { database, url, secrets, accountId } = world;
  const pool = database.accepting;
  const heartbeat = { id: 'worker', roles: ['relay'], version: '1', isFirst: true };
  await useInstallationRow(world);
  await writeHeartbeat(pool, heartbeat);
  await listHeartbeats(pool);
  await removeHeartbeat(pool, heartbeat.id);
  await readUptime(pool);
  await hasOpenWork(pool);
  await readDatabaseTime(pool);
  await checkReplica({ requestLog: pool, requestLogReplica: pool });
  await readOldestWaiting(pool, ['email', 'sms']);
  await countNeedsAttention(pool, ['email', 'sms']);
  await createReadiness({ pool, databaseUrl: url, migrationsDir })();
  await createDatabaseCheck({ pool, databaseUrl: url, migrationsDir, secrets }).read();
  await listIntegrations(database.prisma, 99);
  await sendsOptionalMail(pool);
  const limit = { defaultLimitMb: 1 };
  await setStorageLimit(pool, accountId, 1_000_000);
  const slices = { sliceRows: 5, cutsPerRun: 2, remeasuresPerRun: 4, remeasureAfterMs: 0 };
  await withStorageLock(pool, (client) => countStorage(client, limit, slices));
  await world.alter('UPDATE account SET stored_bytes = 9000000');
  await countStorage(pool, limit, slices);
  await readStorageTotals(pool, limit);
  await listLimitedAccounts(pool, limit, 9);
  await findAccountStorage(pool, limit, 'Account');
  await findAccountStorage(pool, limit, accountId);
}

/** Erases a user; another user has the same address before and after. */
export async function useErasure(world: World): Promise<void> {
  const { database, appId, actor, alter } = world;
  const pool = database.accepting;
  const [user] = (await createAppUsers(pool).list(appId, '')).rows;
  const sending = await send(world);
  await claimMessages(database.delivery, { ids: [sending.messageId], worker: 'w', leaseMs: 1 });
  const texts = { metadata: '{"order":"A-1002"}', cancelKey: 'order-2' };
  const { requestId } = await send(world, { unplanned: 1, ...texts });
  await alter(
    `INSERT INTO request_item (request_id, item, recipient, metadata) VALUES ($1, 1, '{"user_id":"other"}', $2)`,
    [requestId, texts.metadata],
  );
  const { messageId } = await send(world);
  await writeCapture(database.hot, { ...createCapture(world), messageId });
  await alter(
    `INSERT INTO inbox_item (id, app_id, user_id, message_id, content) VALUES (gen_random_uuid(), $1, 'other', $2, '{}')`,
    [appId, messageId],
  );
  await alter(`UPDATE request SET created_at = created_at - interval '1 hour'`);
  await alter(`UPDATE inbox_item SET created_at = created_at - interval '1 hour'`);
  const addresses = [person.email];
  await eraseUser(pool, actor, { appId, userSid: user?.sid ?? '', addresses });
  await createAppEvents(pool).listCallData(appId, world.event.eventId);
  await alter(`UPDATE erasure SET created_at = now() - interval '10 minutes'`);
  await alter(`UPDATE message SET state = 'sent', due_at = NULL WHERE state = 'sending'`);
}

/** Ages all rows and removes them. */
export async function useUpkeep(world: World): Promise<void> {
  const { database, alter, appId, actor } = world;
  await useInApp(world);
  const { messageId } = await send(world);
  await writeCapture(database.hot, { ...createCapture(world), messageId });
  await createAppCaptures(database.accepting).removeAll(actor, appId);
  await send(world, { cancelKey: 'order-3' });
  await alter(
    `INSERT INTO capture SELECT gen_random_uuid(), app_id, gen_random_uuid(), 1, 'email', 'smtp', '', '{}', '{}', ''
    FROM (SELECT $1::uuid AS app_id) a CROSS JOIN generate_series(1, 501)`,
    [appId],
  );
  for (const change of aged) await alter(change);
  const waiting = await send(world);
  const unplanned = await send(world, { unplanned: 1 });
  await alter(
    `UPDATE request SET created_at = now() - interval '100 days', planned_items = items WHERE id = ANY ($1)`,
    [[waiting.requestId, unplanned.requestId]],
  );
  await send(world, { data: '"sealed"' });
  await alter(`UPDATE message SET state = 'sent', due_at = NULL WHERE id <> $1`, [
    waiting.messageId,
  ]);
  const folder = await mkdtemp(path.join(tmpdir(), 'belfry-isolation-'));
  const place = { ARCHIVE_URL: `file://${folder}`, ARCHIVE_S3_ENDPOINT: '', ARCHIVE_S3_REGION: '' };
  const archive = createArchive(place, { warn: () => undefined });
  try {
    await withUpkeepLock(database.delivery, async (client) => {
      for (const task of createUpkeepTasks({ retentionDays: 1, archive })) {
        for (let chunk = 0; chunk < 9; chunk += 1) {
          if (!(await task.removeChunk(client)).mayBeMore) break;
        }
      }
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

function createCapture({ appId }: World) {
  const place = { appId, attempt: 1, channel: 'email', provider: 'smtp', target: person.email };
  return { ...place, content: {}, request: {}, outcome: 'accepted' };
}

const aged = [
  `UPDATE capture SET created_at = now() - interval '100 days' WHERE id = (SELECT max(id::text)::uuid FROM capture)`,
  `UPDATE idempotency_key SET first_seen = now() - interval '100 days'`,
  `UPDATE inbox_item SET created_at = now() - interval '100 days'`,
  `UPDATE message SET state = 'sent', due_at = NULL`,
  `UPDATE request SET created_at = now() - interval '100 days' WHERE planned_items >= items`,
  `UPDATE receipt SET received_at = now() - interval '100 days'`,
  `UPDATE delivery_count SET at = now() - interval '100 days'`,
  `UPDATE counted_minute SET minute = minute - interval '100 days'`,
  `UPDATE message_minute SET minute = minute - interval '100 days'`,
  `UPDATE integration_count SET at = now() - interval '100 days'`,
  `UPDATE resend SET finished_at = now() - interval '100 days'`,
  `UPDATE webhook_delivery SET occurred_at = now() - interval '100 days', ends_at = now() - interval '1 day', next_at = now() - interval '1 day'`,
];

/** The demo finds the account and the app of the world, whose ids the checks know, and creates its events. */
async function useDemo({ database, secrets, alter, accountId, appId }: World): Promise<void> {
  await alter(`UPDATE account SET name = 'Demo account' WHERE id = $1`, [accountId]);
  await alter(`UPDATE app SET name = 'Demo app' WHERE id = $1`, [appId]);
  await seedDemo({ pool: database.lookUps, secrets });
  await seedDemo({ pool: database.lookUps, secrets });
}

/** Rotates to a new ring key. */
export async function useKeyRing(world: World): Promise<void> {
  const { database, alter, integrations, operatorId } = world;
  const secrets = createSecrets(`new:${Buffer.alloc(32, 9).toString('base64')},${testKeyRing}`);
  await useDemo(world);
  const seal = (place: string) => world.secrets.seal('{}', place);
  await alter(`UPDATE integration SET credentials = ''`);
  const credentials = seal(integrationPlace(integrations[0]));
  await alter('UPDATE integration SET credentials = $2 WHERE id = $1', [
    integrations[0],
    credentials,
  ]);
  await alter('INSERT INTO operator_totp (operator_id, secret) VALUES ($1, $2)', [
    operatorId,
    seal(totpPlace(operatorId)),
  ]);
  await alter('DELETE FROM webhook_endpoint');
  await alter(
    `INSERT INTO webhook_endpoint (id, app_id, url, types, secrets) VALUES ($1, $2, 'https://a.example/', '{}', $3)`,
    [integrations[0], world.appId, seal(webhookSecretsPlace(integrations[0]))],
  );
  await useUsers(world);
  await alter('DELETE FROM request_item');
  const { requestId } = await send(world);
  const slack = { access_token: seal(itemTokenPlace(requestId, 0)) };
  const { data, override } = sealTexts(texts, { requestId, item: 0 }, world.secrets);
  await alter('UPDATE request_item SET recipient = $1, data = $2, override = $3', [
    JSON.stringify({ slack }),
    data,
    override,
  ]);
  await rotateKeys(database.accepting, secrets);
  await listOldKeys(database.accepting, secrets);
}

const texts = { data: '{}', override: '{}' };
