import { writeDeliveryCounts } from '@belfry/pipeline/deliver';
import { createMinuteCount, withMinutesLock } from '@belfry/pipeline/relay';
import { createLogger } from '@belfry/runtime';
import { channelVersion, ownDatabase, type PastMessage, writePastMessages } from '@belfry/testing';
import { createStoredDashboard, type StoredDashboard } from './stored-dashboard.fixture';

jest.setTimeout(60_000);

const minuteMs = 60_000;
const spans = { hour: 60 * minuteMs, day: 24 * 60 * minuteMs, week: 7 * 24 * 60 * minuteMs };
const pointsShown = { hour: 60, day: 96, week: 84 };
const states = ['queued', 'sending', 'sent', 'delivered', 'read', 'failed', 'skipped', 'unknown'];
const reasons = ['expired', 'rejected_content', 'rejected_content', 'attempts_exhausted'];
const messages = createMessages();

let dashboard: StoredDashboard;
let dropDatabase: () => Promise<void>;

// A database of its own, because the messages of all tests would be counted.
beforeAll(async () => {
  const own = await ownDatabase();
  dashboard = await createStoredDashboard({ DATABASE_URL: own.url });
  const { database, factories, tenant } = dashboard;
  dropDatabase = async () => {
    await dashboard.close();
    await own.drop();
  };
  const event = await factories.createEvent(tenant, { email: channelVersion({ subject: 'x' }) });
  await writePastMessages({ database, tenant, event }, messages);
  const startedAt = Date.now();
  await createMinuteCount({
    withLock: (work) => withMinutesLock(database.delivery, work),
    // The clock stands, so the run has no limit.
    now: () => startedAt,
    log: createLogger({ level: 'error', process: 'test' }),
  }).runOnce();
});

afterAll(() => dropDatabase());

/** 400 messages, most in the last hour, the others over 7 days. */
function createMessages(): PastMessage[] {
  const now = Date.now();
  const shares = [spans.hour, spans.hour, spans.day, spans.week];
  return Array.from({ length: 400 }, (_, n) => {
    const state = states[(n * 7) % 8] ?? '';
    return {
      acceptedAt: now - Math.floor(((n % 97) / 97) * (shares[n % 4] ?? 0)),
      channel: n % 5 === 0 ? 'sms' : 'email',
      state,
      ...(state === 'failed' && { reason: reasons[Math.floor(n / 8) % 4] ?? '' }),
      ...(state !== 'queued' && { firstCallMs: 3 + ((n * 31) % 900) }),
    };
  });
}

const read = async (period: string) =>
  (await dashboard.call('get', `apps/${dashboard.tenant.appId}/overview?period=${period}`)).body;

/** Counts the messages themselves. */
function countStates(counted: PastMessage[]) {
  const count = (...named: string[]) => counted.filter(({ state }) => named.includes(state)).length;
  return {
    ...{ waiting: count('queued', 'sending'), sent: count('sent'), delivered: count('delivered') },
    ...{ read: count('read'), failed: count('failed'), skipped: count('skipped') },
    unknown: count('unknown'),
  };
}

function readExactPercentile(counted: PastMessage[], share: number): number {
  const times = counted.flatMap(({ firstCallMs }) => firstCallMs ?? []).sort((a, b) => a - b);
  return times[Math.ceil(times.length * share) - 1] ?? Number.NaN;
}

/** A histogram knows a time to within 41 %. */
function expectNear(value: number, exact: number): void {
  expect(value).toBeGreaterThan(exact / Math.SQRT2);
  expect(value).toBeLessThan(exact * Math.SQRT2);
}

describe('the overview', () => {
  test.each(['hour', 'day', 'week'] as const)(
    'of a %s equals a count of the messages: states, rate, latency, reasons, each point',
    async (period) => {
      const body = await read(period);
      const inPeriod = messages.filter(
        ({ acceptedAt }) => acceptedAt >= body.from && acceptedAt < body.to,
      );
      expect(body.to - body.from).toBe(spans[period]);
      const totals = countStates(inPeriod);
      expect(body.totals).toEqual(totals);
      expect(body.failureRate).toBeCloseTo(
        totals.failed / (inPeriod.length - totals.waiting - totals.skipped),
      );
      const timed = inPeriod.filter(({ firstCallMs }) => firstCallMs !== undefined);
      expect(body.latency.messages).toBe(timed.length);
      expectNear(body.latency.p50Ms, readExactPercentile(inPeriod, 0.5));
      expectNear(body.latency.p95Ms, readExactPercentile(inPeriod, 0.95));
      expect(body.points).toHaveLength(pointsShown[period]);
      for (const { at, latency: _latency, ...counts } of body.points) {
        const isAt = ({ acceptedAt }: PastMessage) =>
          acceptedAt >= at && acceptedAt < at + body.stepMs;
        expect(counts).toEqual(countStates(inPeriod.filter(isAt)));
      }
      for (const { channel, totals: ofChannel } of body.channels)
        expect(ofChannel).toEqual(countStates(inPeriod.filter((each) => each.channel === channel)));
      expect(body.channels.map(({ channel }: { channel: string }) => channel)).toEqual([
        'sms',
        'email',
      ]);
      expect(body).toMatchObject({ uncountedMinutes: 0, countedAt: expect.any(Number) });
    },
  );

  test('lists the most frequent reasons with the filter of the log', async () => {
    const body = await read('week');
    const exact = new Map<string, number>();
    for (const { acceptedAt, channel, reason } of messages) {
      if (!reason || acceptedAt < body.from) continue;
      exact.set(`${channel} ${reason}`, (exact.get(`${channel} ${reason}`) ?? 0) + 1);
    }
    const listed: { channel: string; reason: string; messages: number }[] = body.failures;
    expect(
      new Map(listed.map((each) => [`${each.channel} ${each.reason}`, each.messages])),
    ).toEqual(exact);
    expect(listed.map((each) => each.messages)).toEqual([...exact.values()].sort((a, b) => b - a));
    const [{ channel, reason, filters }] = body.failures;
    const { from, to } = body;
    expect(filters).toEqual({ from: `${from}`, to: `${to}`, channel, state: 'failed', reason });
  });

  test('shows the backlog with its time to drain, and integrations that need attention', async () => {
    const { tenant, database, factories } = dashboard;
    const { appId } = tenant;
    await database.delivery.query(
      `UPDATE message SET due_at = now() WHERE state = 'queued' AND channel = 'email' AND app_id = $1`,
      [appId],
    );
    const waiting = messages.filter((each) => each.state === 'queued' && each.channel === 'email');
    await writeDeliveryCounts(database.delivery, [{ appId, channel: 'email', accepted: 600 }]);
    await database.delivery.query(`UPDATE delivery_count SET at = at - interval '1 minute'`);
    const integration = { channel: 'email', provider: 'smtp', name: 'Mail' };
    const { id } = await factories.createIntegration(tenant, integration);
    const { id: usedId } = await factories.createIntegration(tenant, {
      ...integration,
      name: 'Used',
    });
    await factories.createIntegration(tenant, { ...integration, name: 'New' });
    await database.prisma.integration.update({
      where: { id },
      data: { state: 'needs_attention', stateReason: 'Bad password' },
    });
    const healthy =
      'INSERT INTO integration_health (integration_id, last_success_at, failures_in_row) VALUES ($1, now(), 0)';
    await database.delivery.query(healthy, [usedId]);
    const body = await read('hour');
    const drainMs = (waiting.length / 2) * 1_000;
    expect(body.backlog).toContainEqual(
      expect.objectContaining({ channel: 'email', waiting: waiting.length, perSecond: 2, drainMs }),
    );
    expect(body.unhealthyIntegrations).toMatchObject([
      {
        ...integration,
        id,
        health: { verdict: 'needs_attention' },
        stateReason: 'Bad password',
      },
    ]);
    expect(body).toMatchObject({ healthyIntegrations: 1, untestedIntegrations: 1 });
  });

  test('shows nothing of another account, and refuses another period', async () => {
    const { tenant, createNeighbour } = dashboard;
    const neighbour = await createNeighbour();
    const path = (appId: string) => `apps/${appId}/overview`;
    expect((await neighbour.call('get', path(tenant.appId))).status).toBe(404);
    const own = await neighbour.call('get', path(neighbour.tenant.appId));
    expect(own.body).toMatchObject({
      channels: [],
      failures: [],
      failureRate: null,
      latency: null,
      backlog: [],
    });
    const wrong = await dashboard.call('get', `${path(tenant.appId)}?period=year`);
    expect(wrong).toMatchObject({
      status: 400,
      body: { error: 'period must be hour, day or week.' },
    });
  });
});
