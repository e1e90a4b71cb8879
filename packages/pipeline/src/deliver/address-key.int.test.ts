import { createSuppressions, type Database, type Suppressions } from '@belfry/database';
import { newId } from '@belfry/runtime';
import {
  channelVersion,
  createFactories,
  openDatabase,
  type Tenant,
  testDatabase,
} from '@belfry/testing';
import { claimMessageRow, resultFor, writeMessageRow } from '../message-row.fixture';
import { eraseUser } from '../operate/erase';
import { createRequestLog } from '../operate/request-log';
import { claimEligibleMessages } from './claim.sql';
import { readEligibility } from './eligibility.sql';
import { recordResults } from './record.sql';

let database: Database;
let tenant: Tenant;
let event: { eventId: string; versionId: string };
let suppressions: Suppressions;

beforeAll(async () => {
  database = openDatabase({ url: (await testDatabase()).url, poolSize: 4 });
  const factories = createFactories(database);
  tenant = await factories.createTenant();
  event = await factories.createEvent(tenant, { email: channelVersion({ subject: 'x' }) });
  suppressions = createSuppressions(database.lookUps);
});

afterAll(() => database.close());

const actor = () => ({ accountId: tenant.accountId, operatorId: undefined });
const read = (id: string) => database.prisma.message.findUniqueOrThrow({ where: { id } });
const candidate = (target: string) => ({
  ...{ channel: 'email', target, chain: [] },
  ...{ deviceId: undefined, sender: undefined, userId: undefined, integrationId: undefined },
  ...{ kind: undefined, category: undefined, preferences: undefined },
});

const write = (target: string, channel = 'email') =>
  writeMessageRow({ database, tenant, event }, { target, channel });

/** A mailbox in three spellings. */
function createSpellings(): [string, string, string] {
  const name = newId();
  return [`Ana.${name}@example.com`, `ana.${name}@example.com`, `ANA.${name}@example.com`];
}

const skipped = { kind: 'settled', state: 'skipped', reason: 'suppressed' };

describe('one mailbox in any spelling', () => {
  test.each(['an operator', 'a bounce'])('when %s suppresses it', async (who) => {
    const [first, second, third] = createSpellings();
    const { appId } = tenant;
    if (who === 'an operator') {
      await suppressions.add(actor(), appId, { channel: 'email', address: first, detail: 'x' });
    } else {
      const bounced = await write(first);
      await claimMessageRow({ database }, bounced);
      const changes = [{ change: 'suppress', reason: 'bounced', sender: '' } as const];
      await recordResults(database.delivery, [resultFor(bounced, { changes })]);
    }
    for (const spelling of [first, second, third]) {
      const id = await write(spelling);
      const claim = { ids: [id], worker: 'w', leaseMs: 20_000 };
      expect(await claimEligibleMessages(database.delivery, claim)).toEqual([undefined]);
      expect(await claimMessageRow({ database }, id)).toEqual(skipped);
      const [eligibility] = await readEligibility(database.lookUps, appId, [candidate(spelling)]);
      expect(eligibility).toMatchObject({ obstacle: 'suppressed' });
      const address = { channel: 'email', address: spelling };
      expect(await suppressions.listForAddresses(appId, [address])).toMatchObject([address]);
      const { rows } = await suppressions.list(appId, spelling.slice(0, -4));
      expect(rows).toMatchObject([{ address: second }]);
    }
    const again = { channel: 'email', address: third, detail: 'x' };
    expect(await suppressions.add(actor(), appId, again)).toBeUndefined();
  });

  test('is found by the log', async () => {
    const [first, second, third] = createSpellings();
    const { appId } = tenant;
    const requestId = (await read(await write(first))).requestId;
    for (const recipient of [first, second, third]) {
      const { ids } = await createRequestLog(database.lookUps, []).readPage({ appId, recipient });
      expect(ids).toEqual([requestId]);
    }
  });

  test('is erased with its user', async () => {
    const [first, second, third] = createSpellings();
    const { appId } = tenant;
    const sid = newId();
    await database.prisma.user.create({
      data: { id: sid, appId, userId: sid, contact: { email: second } },
    });
    const ids = [await write(first), await write(third)];
    await eraseUser(database.lookUps, actor(), { appId, userSid: sid, addresses: [second] });
    for (const id of ids) expect(await read(id)).toMatchObject({ target: `erased:${id}` });
  });
});

test('verdicts come in the order of the candidates', async () => {
  const { appId } = tenant;
  const [blocked, free] = createSpellings();
  const [first, second] = [`a${blocked}`, `b${free}`];
  await suppressions.add(actor(), appId, { channel: 'email', address: first, detail: 'x' });
  const targets = [second, first, second, second, first];
  const verdicts = await readEligibility(database.lookUps, appId, targets.map(candidate));
  expect(verdicts.map(({ obstacle }) => obstacle)).toEqual(
    targets.map((target) => (target === first ? 'suppressed' : null)),
  );
});

test('addresses of other channels are case-sensitive', async () => {
  const { appId } = tenant;
  const [upper, lower] = ['C', 'c'].map((letter) => `${letter}${newId()}`) as [string, string];
  await suppressions.add(actor(), appId, { channel: 'slack', address: upper, detail: 'x' });
  const [blocked, free] = [await write(upper, 'slack'), await write(lower, 'slack')];
  expect(await claimMessageRow({ database }, blocked)).toEqual(skipped);
  expect(await claimMessageRow({ database }, free)).toMatchObject({ kind: 'claimed' });
  const recipient = lower.toUpperCase();
  const { ids } = await createRequestLog(database.lookUps, []).readPage({ appId, recipient });
  expect(ids).toEqual([]);
});
