import { randomBytes } from 'node:crypto';
import { createDatabase, type Database } from '@belfry/database';
import { createLogger, newId } from '@belfry/runtime';
import {
  channelVersion,
  createFactories,
  eventually,
  type Tenant,
  testDatabase,
} from '@belfry/testing';
import { type NewRequest, writeRequests } from './write-requests';

const log = createLogger({ level: 'error', process: 'test' });
const rounds = 10;
const keysPerFlush = 200;
let gateways: [Database, Database];
let tenant: Tenant;
let event: { eventId: string; versionId: string };

beforeAll(async () => {
  const { url } = await testDatabase();
  const open = () => createDatabase({ url, poolSize: 2, log });
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

/** Lets nobody write the key until both gateways wait: each has written what comes before it in its own order. */
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
    // Both are waited for below; until then neither may end the process.
    result.catch(() => undefined);
    await eventually(async () => {
      // Within a transaction PostgreSQL would show the activity of its first look again and again.
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
  test('opposite key order in two gateways does not deadlock', async () => {
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
      const theirs = other.toReversed();
      for (const index of hashes.keys()) {
        const both = [one[index], theirs[index]];
        expect(both).toContainEqual({ isWritten: true });
        expect(both).toContainEqual({ isWritten: false, winner: expect.anything() });
      }
    }
  });

  test('writes nothing for an account whose key was taken, beside another one that wins with the same text', async () => {
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
