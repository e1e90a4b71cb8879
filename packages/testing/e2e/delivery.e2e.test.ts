import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import {
  channelVersion,
  createSlackSimulator,
  createSmtpSimulator,
  eventually,
  findClosedPort,
  type SlackSimulator,
  type SmtpSimulator,
  type System,
  startSystem,
  type Tenant,
} from '@belfry/testing';

let smtp: SmtpSimulator;
let slack: SlackSimulator;
let system: System;
let tenant: Tenant;
let smtpIntegration: { id: string };
let slackIntegration: { id: string };

const botToken = 'xoxb-1111-2222-integration';

beforeAll(async () => {
  smtp = await createSmtpSimulator();
  slack = await createSlackSimulator();
  system = await startSystem({ env: { SLACK_API_URL: slack.url, SEND_TIMEOUT_MS: '5000' } });
  tenant = await system.factories.createTenant({ delivery: 'live' });
  smtpIntegration = await createSmtpIntegration(smtp.port);
  slackIntegration = await system.factories.createIntegration(tenant, {
    channel: 'slack',
    provider: 'slack',
    credentials: { access_token: botToken },
  });
}, 120_000);

afterAll(async () => {
  await system.stop();
  await Promise.all([smtp.close(), slack.close()]);
}, 120_000);

function createSmtpIntegration(port: number) {
  return system.factories.createIntegration(tenant, {
    channel: 'email',
    provider: 'smtp',
    settings: {
      host: '127.0.0.1',
      port,
      require_tls: false,
      from: { name: 'Belfry', address: 'notify@example.com' },
    },
  });
}

async function createEmailEvent(integrationId = smtpIntegration.id): Promise<string> {
  const { name } = await system.factories.createEvent(tenant, {
    email: channelVersion(
      { subject: 'Hello', html: '<p>Hello</p>' },
      { integrationIds: [integrationId] },
    ),
  });
  return name;
}

async function createSlackEvent(): Promise<string> {
  const { name } = await system.factories.createEvent(tenant, {
    slack: channelVersion({ text: 'Hello' }, { integrationIds: [slackIntegration.id] }),
  });
  return name;
}

describe('an event with e-mail and Slack', () => {
  const attachment = Buffer.from(Array.from({ length: 5_000 }, (_, index) => index % 256));
  const data = {
    user_name: 'R&D <b>',
    order: { id: 'A-7 & co' },
    items: [{ name: 'Bell <1>' }, { name: '<!channel>' }],
  };

  async function sendBoth(): Promise<string> {
    const { name } = await system.factories.createEvent(tenant, {
      email: channelVersion(
        {
          subject: 'Order {{order.id}} for {{user_name}}',
          html: '<p title="{{user_name}}">Hello {{user_name}}</p><ul>{{#each items}}<li>{{name}}</li>{{/each}}</ul>',
          text: 'Hello {{user_name}}:{{#each items}} {{name}}{{/each}}',
        },
        { integrationIds: [smtpIntegration.id] },
      ),
      slack: channelVersion(
        {
          text: 'Hello {{user_name}}:{{#each items}} {{name}}{{/each}} <https://example.com|more>',
        },
        { integrationIds: [slackIntegration.id] },
      ),
    });
    return system.sendAccepted(tenant, {
      event: name,
      user: { email: 'ana@example.org', slack: { channel_id: 'C012345678' } },
      data,
      override: {
        email: {
          attachments: [{ file_name: 'bell.bin', content: attachment.toString('base64') }],
        },
      },
    });
  }

  test('arrives as multipart mail, escaped once in HTML and not in subject and text, with the attachment byte for byte', async () => {
    const requestId = await sendBoth();
    const [mailed] = await system.settled(requestId, ['sent', 'sent']);
    const mail = smtp.sends.find(({ messageId }) => messageId?.includes(String(mailed?.id)));
    expect(mail?.to).toEqual(['ana@example.org']);
    expect(mail?.parsed.subject).toBe('Order A-7 & co for R&D <b>');
    expect(mail?.parsed.text?.trim()).toBe('Hello R&D <b>: Bell <1> <!channel>');
    expect(mail?.parsed.html).toBe(
      '<p title="R&amp;D &lt;b&gt;">Hello R&amp;D &lt;b&gt;</p><ul><li>Bell &lt;1&gt;</li><li>&lt;!channel&gt;</li></ul>',
    );
    expect(mail?.raw.toString()).toContain('multipart/alternative');
    expect(mail?.parsed.attachments.map(({ filename }) => filename)).toEqual(['bell.bin']);
    expect(mail?.parsed.attachments[0]?.content.equals(attachment)).toBe(true);
  });

  test('arrives in Slack with values escaped, no mentions, and the author’s own link intact', async () => {
    const requestId = await sendBoth();
    const [, posted] = await system.settled(requestId, ['sent', 'sent']);
    const post = slack.sends.find(({ messageId }) => messageId === posted?.id);
    expect(post).toMatchObject({
      channel: 'C012345678',
      text: 'Hello R&amp;D &lt;b&gt;: Bell &lt;1&gt; &lt;!channel&gt; <https://example.com|more>',
    });
  });
});

describe('a provider that fails', () => {
  test('a 500 after the body was read leads to `unknown`, and a resend is marked as a possible duplicate', async () => {
    const event = await createSlackEvent();
    slack.fail({ on: 'chat.postMessage', reply: { status: 500, body: { ok: false } } });
    const requestId = await system.sendAccepted(tenant, {
      event,
      user: { slack: { channel_id: 'C0FAILS500' } },
    });
    const [message] = await system.settled(requestId, ['sent']);
    expect(message?.attemptRows).toMatchObject([
      { number: 1, outcome: 'unknown', isPossibleDuplicate: false },
      { number: 2, outcome: 'accepted', isPossibleDuplicate: true },
    ]);
    expect(message?.unknownCount).toBe(1);
  });

  test('a second unknown outcome leaves the message `unknown` without another call', async () => {
    const event = await createSlackEvent();
    const fault = { on: 'chat.postMessage', reply: { status: 500, body: { ok: false } } };
    slack.fail(fault, fault);
    const requestId = await system.sendAccepted(tenant, {
      event,
      user: { slack: { channel_id: 'C0FAILS501' } },
    });
    const [message] = await system.settled(requestId, ['unknown']);
    expect(message?.attemptRows).toHaveLength(2);
    expect(message?.dueAt).toBeNull();
  });

  test('a refused connection is retried, and the provider receives one call', async () => {
    const port = await findClosedPort();
    const integration = await createSmtpIntegration(port);
    const event = await createEmailEvent(integration.id);
    const requestId = await system.sendAccepted(tenant, {
      event,
      user: { email: 'late@example.org' },
    });
    await eventually(async () => {
      const [message] = await system.readMessages(requestId);
      expect(message?.attemptRows[0]).toMatchObject({ outcome: 'retry' });
    });
    const door = await openDoor(port, smtp.port);
    const [message] = await system.settled(requestId, ['sent']);
    closeDoor(door);
    expect(message?.attemptRows.length).toBeGreaterThanOrEqual(2);
    expect(message?.attemptRows.at(-1)).toMatchObject({ outcome: 'accepted' });
    expect(smtp.sends.filter(({ to }) => to.includes('late@example.org'))).toHaveLength(1);
  });

  test('a connection that is refused once makes two attempts and one call', async () => {
    const before = smtp.sends.length;
    smtp.fail({ at: 'connect', reply: '421 4.3.2 Not now' });
    // A kept-alive connection would not meet the fault.
    const fresh = await createSmtpIntegration(smtp.port);
    const requestId = await system.sendAccepted(tenant, {
      event: await createEmailEvent(fresh.id),
      user: { email: 'twice@example.org' },
    });
    const [message] = await system.settled(requestId, ['sent']);
    expect(message?.attemptRows.map(({ outcome }) => outcome)).toEqual(['retry', 'accepted']);
    expect(smtp.sends.slice(before).map(({ to }) => to)).toEqual([['twice@example.org']]);
  });

  test('a refused recipient is called once', async () => {
    const event = await createEmailEvent();
    smtp.fail({ at: 'rcpt', reply: '550 5.1.1 No such user' });
    const requestId = await system.sendAccepted(tenant, {
      event,
      user: { email: 'nobody@example.org' },
    });
    const [message] = await system.settled(requestId, ['failed']);
    expect(message).toMatchObject({ reason: 'rejected_recipient', dueAt: null });
    expect(message?.attemptRows).toMatchObject([{ number: 1, outcome: 'rejected' }]);
  });

  test('refused credentials make the integration need attention, and its message waits', async () => {
    const lost = await system.factories.createIntegration(tenant, {
      channel: 'slack',
      provider: 'slack',
      credentials: { access_token: 'xoxb-9999-8888-revoked' },
    });
    const { name } = await system.factories.createEvent(tenant, {
      slack: channelVersion({ text: 'Hello' }, { integrationIds: [lost.id] }),
    });
    slack.fail({ on: 'chat.postMessage', error: 'token_revoked' });
    const requestId = await system.sendAccepted(tenant, {
      event: name,
      user: { slack: { channel_id: 'C0REVOKED1' } },
    });
    await eventually(async () => {
      const [message] = await system.readMessages(requestId);
      expect(message).toMatchObject({ state: 'queued', waits: 'needs_attention' });
      const row = await system.database.prisma.integration.findUniqueOrThrow({
        where: { id: lost.id },
      });
      expect(row.state).toBe('needs_attention');
    });
  });

  test('a refused token from the request fails that message only', async () => {
    const event = await createSlackEvent();
    slack.fail({ on: 'chat.postMessage', error: 'invalid_auth' });
    const requestId = await system.sendAccepted(tenant, {
      event,
      user: { slack: { channel_id: 'C0OWNTOKEN', access_token: 'xoxb-7777-6666-thecallsown' } },
    });
    const [message] = await system.settled(requestId, ['failed']);
    expect(message?.reason).toBe('rejected_integration');
    const row = await system.database.prisma.integration.findUniqueOrThrow({
      where: { id: slackIntegration.id },
    });
    expect(row.state).toBe('active');
  });
});

describe('a worker that stops', () => {
  test('lets a call in flight end, so its message is sent and not unknown', async () => {
    const callMs = 1_500;
    slack.fail({ on: 'chat.postMessage', slowMs: callMs });
    const requestId = await system.sendAccepted(tenant, {
      event: await createSlackEvent(),
      user: { slack: { channel_id: 'C0INFLIGHT01' } },
    });
    await eventually(() =>
      expect(slack.sends.some(({ channel }) => channel === 'C0INFLIGHT01')).toBe(true),
    );
    for (const worker of system.workers.splice(0)) expect(await worker.stop()).toBe(0);
    const [message] = await system.readMessages(requestId);
    await system.startWorker();
    expect(message).toMatchObject({ state: 'sent', attempts: 1 });
  });
});

/** Opens the closed port as a proxy to another port. */
async function openDoor(port: number, target: number): Promise<Server> {
  const door = createServer((socket) => {
    const inner = connect(target, '127.0.0.1');
    socket.pipe(inner).pipe(socket);
    socket.on('error', () => inner.destroy());
    inner.on('error', () => socket.destroy());
  });
  door.listen(port, '127.0.0.1');
  await once(door, 'listening');
  return door;
}

function closeDoor(door: Server): void {
  door.close();
}
