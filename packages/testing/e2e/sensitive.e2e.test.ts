import {
  channelVersion,
  createTwilioSimulator,
  eventually,
  type System,
  simulatedAuthToken,
  startSystem,
  type Tenant,
  type TwilioSimulator,
} from '@belfry/testing';

let twilio: TwilioSimulator;
let system: System;
let secrets = 0;

beforeAll(async () => {
  twilio = await createTwilioSimulator();
  system = await startSystem({ env: { TWILIO_API_URL: twilio.url } });
}, 120_000);

afterAll(async () => {
  await system.stop();
  await twilio.close();
}, 120_000);

type Place = { tenant: Tenant; event: string };

async function createPlace(delivery: 'sandbox' | 'live'): Promise<Place> {
  const tenant = await system.factories.createTenant({ delivery });
  const { id } = await system.factories.createIntegration(tenant, {
    channel: 'sms',
    provider: 'twilio',
    settings: { sender: '+15005550009' },
    credentials: { account_sid: `AC${'0'.repeat(32)}`, auth_token: simulatedAuthToken },
  });
  const version = channelVersion({ text: 'Your code is {{code}}' }, { integrationIds: [id] });
  const options = { isSensitive: true };
  const { name } = await system.factories.createEvent(tenant, { sms: version }, options);
  return { tenant, event: name };
}

/** A unique text to search for. */
function createCode(): string {
  secrets += 1;
  return `code-${Date.now()}-${secrets}`;
}

const tables = [
  'request',
  'request_item',
  'message',
  'attempt',
  'receipt',
  'capture',
  'inbox_item',
];

async function findTables(text: string): Promise<string[]> {
  const matchingTables = await Promise.all(
    tables.map(async (table) => {
      const { rows } = await system.database.delivery.query(
        `SELECT 1 FROM ${table} t WHERE t::text LIKE '%' || $1 || '%' LIMIT 1`,
        [text],
      );
      return rows.length > 0 ? [table] : [];
    }),
  );
  return matchingTables.flat();
}

const readItem = (requestId: string) =>
  system.database.prisma.requestItem.findFirstOrThrow({ where: { requestId } });

async function expectDropped(requestId: string): Promise<void> {
  await eventually(async () =>
    expect(await readItem(requestId)).toMatchObject({ data: null, override: null }),
  );
}

const sent = (code: string) => twilio.sends.filter(({ body }) => body.includes(code));

describe('a sensitive event', () => {
  test('is stored encrypted while it waits, arrives in clear, and is then dropped', async () => {
    const place = await createPlace('live');
    const [code, text] = [createCode(), createCode()];
    const inAWhile = Date.now() + 3_000;
    const user = { mobile: '+4520400001' };
    const data = { code };
    const waiting = await system.sendAccepted(place.tenant, {
      event: place.event,
      user,
      data,
      schedule_at: inAWhile,
    });
    const own = await system.sendAccepted(place.tenant, {
      event: place.event,
      user,
      override: { sms: { message: { text } } },
    });
    expect((await readItem(waiting)).data).toMatch(/^"v1\./);
    await system.settled(own, ['sent']);
    await system.settled(waiting, ['sent']);
    for (const sensitiveText of [code, text]) {
      expect(sent(sensitiveText)).toHaveLength(1);
      expect(await findTables(sensitiveText)).toEqual([]);
    }
    await expectDropped(waiting);
    await expectDropped(own);
    const [message] = await system.readMessages(own);
    expect(message?.attemptRows[0]?.request).toContain('[sensitive]');
  });

  test('leaves no content in the sandbox or in recorded provider answers', async () => {
    const [sandbox, live] = [await createPlace('sandbox'), await createPlace('live')];
    const code = createCode();
    const body = { code: 30_007, message: `Filtered: ${code}`, status: 400 };
    twilio.fail({ reply: { status: 400, body } });
    const user = { mobile: '+4520400002' };
    const send = ({ tenant, event }: Place) =>
      system.sendAccepted(tenant, { event, user, data: { code } });
    const [captured, refusedId] = [await send(sandbox), await send(live)];
    await system.settled(captured, ['sent']);
    await system.settled(refusedId, ['failed']);
    const capture = await system.database.prisma.capture.findFirst({
      where: { appId: sandbox.tenant.appId },
    });
    expect(capture).toMatchObject({ content: '[sensitive]' });
    expect(await findTables(code)).toEqual([]);
    await expectDropped(captured);
    await expectDropped(refusedId);
  });

  test('is planned from the encrypted data, in a batch too', async () => {
    const { tenant, event } = await createPlace('live');
    const code = createCode();
    const batch = [{ user: { mobile: '+4520400003' }, data: { code } }];
    const response = await fetch(
      new URL(`/v1/apps/${tenant.appId}/events/bulk_send`, system.apiUrl),
      {
        method: 'POST',
        headers: { Authorization: `AuthKey ${tenant.apiKey}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ event, batch, schedule_at: Date.now() + 1_000 }),
      },
    );
    // Every answer of the gateway is a JSON object.
    const { request_id: requestId } = (await response.json()) as { request_id: string };
    await system.settled(requestId, ['sent']);
    expect(sent(code)).toHaveLength(1);
    expect(await findTables(code)).toEqual([]);
    await expectDropped(requestId);
  });
});
