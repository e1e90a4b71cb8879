import { randomBytes } from 'node:crypto';
import type { Database } from '@belfry/database';
import { newId } from '@belfry/runtime';
import {
  channelVersion,
  createFactories,
  eventually,
  openDatabase,
  type Tenant,
  testDatabase,
} from '@belfry/testing';
import { writeRequests } from './write';
import type { NewRequest } from './write.sql';

const rounds = 10;
const keysPerFlush = 200;
let gateways: [Database, Database];
let tenant: Tenant;
let event: { eventId: string; versionId: string };

beforeAll(async () => {
  const { url } = await testDatabase();
  const open = () => openDatabase({ url, poolSize: 2 });
  gateways = [open(), open()];
  const factories = createFactories(gateways[0]);
  tenant = await factories.createTenant();
  event = await factories.createEvent(tenant, { email: channelVersion({ subject: 'x' }) });
});

afterAll(() => Promise.all(gateways.map((gateway) => gateway.close())));

function newCall(hash: Buffer, { accountId, appId }: Tenant = tenant): NewRequest {
  return {
    request: {
      id: newId(),
      accountId,
      appId,
      eventId: event.eventId,
      versionId: event.versionId,
      kind: 'single',
      apiKeyId: undefined,
      idempotencyKey: hash.toString('hex'),
    },
    key: { hash, fingerprint: hash, ringKeyId: 'test', status: 200 },
    items: [],
  };
}

/** Blocks the key until both gateways wait for it, so that each has written the keys before it in its own order. */
async function whileBothWaitAt<T>(hash: Buffer, work: () => Promise<T>): Promise<T> {
  const holder = await gateways[0].accepting.connect();
  try {
    await holder.query('BEGIN');
    await holder.query(
      `INSERT INTO idempotency_key (account_id, key_hash, fingerprint, ring_key_id, request_id, status)
       VALUES ($1, $2, $2, 'test', $3, 200)`,
      [tenant.accountId, hash, newId()],
    );
    const result = work();
    // The result is awaited below; until then a rejection must not end the process.
    result.catch(() => undefined);
    await eventually(async () => {
      // Use another connection: within a transaction PostgreSQL caches pg_stat_activity.
      const { rows } = await gateways[1].accepting.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      expect(rows).toHaveLength(2);
    });
    await holder.query('ROLLBACK');
    return await result;
  } finally {
    holder.release(true);
  }
}

describe('writeRequests', () => {
  test('does not deadlock if two gateways write the same keys in opposite order', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const hashes = Array.from({ length: keysPerFlush }, () => randomBytes(32));
      const middle = hashes[keysPerFlush / 2]!;
      const [one, other] = await whileBothWaitAt(middle, () =>
        Promise.all([
          writeRequests(
            gateways[0].accepting,
            hashes.map((hash) => newCall(hash)),
          ),
          writeRequests(
            gateways[1].accepting,
            hashes.toReversed().map((hash) => newCall(hash)),
          ),
        ]),
      );
      const otherResults = other.toReversed();
      for (const index of hashes.keys()) {
        const both = [one[index], otherResults[index]];
        expect(both).toContainEqual({ isWritten: true });
        expect(both).toContainEqual({ isWritten: false, winner: expect.anything() });
      }
    }
  });

  test('writes nothing for an account whose key was used, while another account wins with the same key', async () => {
    const hash = randomBytes(32);
    const other = await createFactories(gateways[0]).createTenant();
    const first = newCall(hash);
    await writeRequests(gateways[0].accepting, [first]);
    const [loser, winner] = [newCall(hash), newCall(hash, other)];
    expect(await writeRequests(gateways[0].accepting, [loser, winner])).toEqual([
      { isWritten: false, winner: expect.objectContaining({ requestId: first.request.id }) },
      { isWritten: true },
    ]);
    const where = { idempotencyKey: hash.toString('hex') };
    const stored = await gateways[0].prisma.request.findMany({ where, select: { id: true } });
    const ids = stored.map(({ id }) => id).sort();
    expect(ids).toEqual([first.request.id, winner.request.id].sort());
  });
});
