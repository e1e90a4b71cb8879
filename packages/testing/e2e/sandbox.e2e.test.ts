import { channelVersion, eventually, type System, startSystem, type Tenant } from '@belfry/testing';

let system: System;
let tenant: Tenant;
let event: string;

/** The processes that compose runs: the gateway, and one worker per role. */
const roles = ['deliver-email', 'deliver-slack', 'deliver-telegram', 'fanout', 'relay'];

beforeAll(async () => {
  system = await startSystem({ workers: roles });
  tenant = await system.factories.createTenant({ delivery: 'sandbox' });
  const { name } = await system.factories.createEvent(tenant, {
    email: channelVersion({ subject: 'Hi {{name}}', html: '<p>Hi {{name}} {{absent.path}}</p>' }),
    slack: channelVersion({ text: 'Hi {{name}}' }),
  });
  event = name;
}, 120_000);

afterAll(() => system.stop(), 120_000);

async function send(user: object): Promise<string> {
  const { status, body } = await system.send(tenant, { event, user, data: { name: 'Ana & Bo' } });
  expect(status).toBe(200);
  return String(body.request_id);
}

describe('the sandbox, with one process per role', () => {
  test('captures what each provider would have received', async () => {
    const requestId = await send({
      email: 'ana@example.com',
      slack: { channel_id: 'C012345678' },
    });
    const messages = await system.settled(requestId, ['sent', 'sent']);
    const captures = await system.database.prisma.capture.findMany({
      where: { messageId: { in: messages.map(({ id }) => id) } },
      orderBy: { channel: 'asc' },
    });
    expect(captures).toMatchObject([
      {
        channel: 'email',
        provider: 'smtp',
        target: 'ana@example.com',
        outcome: 'accepted',
        content: { subject: 'Hi Ana & Bo' },
      },
      { channel: 'slack', provider: 'slack', target: 'C012345678', outcome: 'accepted' },
    ]);
    expect(JSON.stringify(captures[0]?.request)).toContain('Hi Ana &amp; Bo');
    expect(JSON.stringify(captures[1]?.request)).toContain('Hi Ana &amp; Bo');
    expect(messages[0]?.attemptRows).toMatchObject([{ provider: 'sandbox', outcome: 'accepted' }]);
  });

  test('records the paths that are missing in the data', async () => {
    const requestId = await send({ email: 'ana@example.com' });
    const [message] = await system.settled(requestId, ['sent']);
    expect(message?.notes).toEqual({ missing: ['absent.path'] });
  });

  test.each([
    ['bounce', 'failed', ['rejected']],
    ['content', 'failed', ['rejected']],
    ['retry', 'sent', ['retry', 'retry', 'accepted']],
    ['timeout', 'unknown', ['unknown', 'unknown', 'unknown']],
  ])('gives the magic recipient %s its outcome', async (word, state, outcomes) => {
    const requestId = await send({ email: `sandbox+${word}@example.com` });
    const [message] = await system.settled(requestId, [state]);
    expect(message?.attemptRows.map(({ outcome }) => outcome)).toEqual(outcomes);
  });

  test('logs one line per attempt, with the request ID of the call', async () => {
    const { headers, body } = await system.send(tenant, {
      event,
      user: { email: 'a@example.com' },
    });
    const callId = headers.get('x-request-id');
    expect(callId).toBe(body.request_id);
    await system.settled(String(callId), ['sent']);
    await eventually(() => {
      const lines = system.workers.flatMap((worker) => worker.lines);
      expect(lines.filter((line) => line['request_id'] === callId)).toMatchObject([
        { message: 'attempt.closed', channel: 'email', provider: 'sandbox', state: 'sent' },
      ]);
    });
    expect(system.api.lines.find((line) => line['request_id'] === callId)).toMatchObject({
      status: 200,
    });
  });

  test('stops gracefully on SIGTERM, with exit code 0', async () => {
    const worker = await system.startWorker('all');
    expect(await worker.stop('SIGTERM')).toBe(0);
  });
});
