import { createHmac } from 'node:crypto';
import { createMetaSimulator, type MetaSend, type MetaSimulator } from '@belfry/testing';
import type { ReceiptCall } from '../channel';
import { metaReceipts } from './meta-receipts';

const appSecret = 'app-5ecret';
const settings = { sender: '100000000000001' };
const credentials = { access_token: 'EAAG', app_secret: appSecret, verify_token: 'verify-5ecret' };
const sent: MetaSend = {
  id: 'wamid.A',
  phoneNumberId: settings.sender,
  to: '+4512345678',
  body: {},
  tokenHash: '',
  messageId: '0193-a',
};

let simulator: MetaSimulator;

beforeAll(async () => {
  simulator = await createMetaSimulator();
});

afterAll(() => simulator.close());

type Webhook = ReturnType<MetaSimulator['webhook']>;

function read({ headers, body }: Webhook, changes: Partial<ReceiptCall> = {}) {
  return metaReceipts.read({
    settings,
    credentials,
    url: 'https://belfry.example.org/v1/receipts/i1/secret',
    headers,
    rawBody: body,
    ...changes,
  });
}

const sign = (statuses: Parameters<MetaSimulator['webhook']>[0], options = {}) =>
  simulator.webhook(statuses, { appSecret, ...options });

describe('reports of Meta', () => {
  test.each(['sent', 'delivered', 'read', 'failed'])('report that a message was %s', (state) => {
    expect(read(sign([simulator.createStatus(sent, state)]))).toEqual([
      expect.objectContaining({ messageId: '0193-a', providerMessageId: 'wamid.A', state }),
    ]);
  });

  test('in one call are all returned, repeated and in any order', () => {
    const otherSend: MetaSend = { ...sent, id: 'wamid.B', messageId: '0193-b' };
    const statuses = [
      simulator.createStatus(sent, 'read'),
      simulator.createStatus(otherSend, 'failed', 131_047),
      simulator.createStatus(sent, 'sent'),
      simulator.createStatus(sent, 'sent'),
    ];
    expect(read(sign(statuses))?.map(({ messageId, state }) => [messageId, state])).toEqual([
      ['0193-a', 'read'],
      ['0193-b', 'failed'],
      ['0193-a', 'sent'],
      ['0193-a', 'sent'],
    ]);
  });

  test('are read however deeply one of their fields is nested', () => {
    const body = JSON.stringify({
      entry: [
        {
          changes: [
            {
              field: 'messages',
              value: { statuses: [{ id: 'wamid.A', status: 'sent', timestamp: 'DEEP' }] },
            },
          ],
        },
      ],
    }).replace('"DEEP"', `${'['.repeat(40_000)}${']'.repeat(40_000)}`);
    const signature = createHmac('sha256', appSecret).update(body).digest('hex');
    const headers = { 'x-hub-signature-256': `sha256=${signature}` };
    const reports = metaReceipts.read({
      ...{ settings, credentials, headers },
      ...{ url: 'https://belfry.example.org/v1/receipts/i1/secret', rawBody: Buffer.from(body) },
    });
    expect(reports).toMatchObject([{ providerMessageId: 'wamid.A', state: 'sent' }]);
  });

  test('have Meta’s ID when ours is missing', () => {
    const [report] = read(sign([{ id: 'wamid.A', status: 'delivered' }])) ?? [];
    expect(report).toMatchObject({ providerMessageId: 'wamid.A', state: 'delivered' });
    expect(report).not.toHaveProperty('messageId');
  });

  // hackclub/attend#84: the code comes without a text
  test.each<[number, string, string]>([
    [131_047, 'rejected_content', 'approved template'],
    [131_026, 'rejected_recipient', 'may not be on WhatsApp'],
    [131_048, 'rejected_integration', 'blocked or reported'],
    [131_050, 'opted_out', 'stopped the marketing'],
    [190, 'rejected_integration', 'access token'],
    [230, 'rejected_integration', 'permission'],
  ])('explain the code %i in our own sentence', (code, reason, detail) => {
    expect(read(sign([simulator.createStatus(sent, 'failed', code)]))).toMatchObject([
      {
        messageId: '0193-a',
        providerMessageId: 'wamid.A',
        state: 'failed',
        reason,
        errorCode: String(code),
        detail: expect.stringContaining(detail),
      },
    ]);
  });

  test('keep a code that is not in the table, and report a missing code', () => {
    const statuses = [
      simulator.createStatus(sent, 'failed', 199_999),
      simulator.createStatus(sent, 'failed'),
    ];
    expect(read(sign(statuses))).toMatchObject([
      { errorCode: '199999', detail: 'Meta reported code 199999.' },
      { detail: expect.stringContaining('no reason') },
    ]);
  });

  test('of an opt-out suppress the person for the number in the report', () => {
    const webhook = sign([simulator.createStatus(sent, 'failed', 131_050)], {
      phoneNumberId: '2222222',
    });
    expect(read(webhook)).toMatchObject([
      { changes: [{ change: 'suppress', reason: 'opted_out', sender: '2222222' }] },
    ]);
  });

  test('leave out incoming messages, other fields and other kinds of status', () => {
    const incoming = {
      field: 'messages',
      value: { messages: [{ from: '4512345678', id: 'wamid.C', text: { body: 'Hi' } }] },
    };
    const template = { field: 'message_template_status_update', value: { event: 'APPROVED' } };
    const foreign = {
      field: 'smb_message_echoes',
      value: { statuses: [{ id: 'D', status: 'read' }] },
    };
    const moreChanges = [incoming, template, foreign];
    expect(read(sign([], { moreChanges }))).toEqual([]);
    const statuses = [simulator.createStatus(sent, 'played'), simulator.createStatus(sent, 'read')];
    expect(read(sign(statuses, { moreChanges }))).toMatchObject([{ state: 'read' }]);
  });

  test.each<[string]>([
    ['not JSON'],
    ['null'],
    ['[]'],
    ['{"entry": {}}'],
    ['{"entry": [null, 1, {"changes": "x"}]}'],
    ['{"entry": [{"changes": [{"field": "messages", "value": {"statuses": [null, {}, []]}}]}]}'],
    [
      '{"entry": [{"changes": [{"field": "messages", "value": {"statuses": [{"id": 1, "status": "sent"}]}}]}]}',
    ],
  ])('are empty when a signed call contains no reports: %s', (text) => {
    const rawBody = Buffer.from(text);
    expect(read(resign(rawBody))).toEqual([]);
  });
});

/** Signs our own bytes as the simulator would. */
function resign(body: Buffer): Webhook {
  const signature = createHmac('sha256', appSecret).update(body).digest('hex');
  return { headers: { 'x-hub-signature-256': `sha256=${signature}` }, body };
}

describe('a report is refused', () => {
  const good = () => sign([simulator.createStatus(sent, 'delivered')]);
  const signature = 'x-hub-signature-256';

  test('when it is signed with another secret', () => {
    expect(
      read(sign([simulator.createStatus(sent, 'read')], { appSecret: 'other' })),
    ).toBeUndefined();
  });

  test('when one byte of it differs, or when it was serialized again', () => {
    const { headers, body } = good();
    const changed = Buffer.from(body.toString().replace('delivered', 'Delivered'));
    expect(read({ headers, body: changed })).toBeUndefined();
    const withSlash = sign([{ id: 'wamid.A/B', status: 'read' }]);
    expect(read(withSlash)).toHaveLength(1);
    const rewritten = Buffer.from(JSON.stringify(JSON.parse(withSlash.body.toString())));
    expect(read({ headers: withSlash.headers, body: rewritten })).toBeUndefined();
  });

  test.each<[string, (value: string) => string | string[] | undefined]>([
    ['no signature', () => undefined],
    ['two signatures', (value) => [value, value]],
    ['an empty one', () => ''],
    ['one without its algorithm', (value) => value.replace('sha256=', '')],
    ['one with another algorithm', (value) => value.replace('sha256=', 'sha1=')],
    ['a short one', (value) => value.slice(0, -2)],
    ['a long one', (value) => `${value}00`],
  ])('when its signature is %s', (_what, change) => {
    const { headers, body } = good();
    const changedHeaders = { ...headers, [signature]: change(headers[signature] ?? '') };
    expect(read({ headers, body }, { headers: changedHeaders })).toBeUndefined();
  });

  test.each([[{}], [{ app_secret: '' }], [{ app_secret: 7 }]])(
    'when the integration has no secret to verify it with: %j',
    (invalidCredentials) => {
      expect(
        read(sign([], { appSecret: '' }), { credentials: invalidCredentials }),
      ).toBeUndefined();
    },
  );
});

describe('the handshake', () => {
  const requestHandshake = (
    changes: Record<string, string> = {},
    ownCredentials: Record<string, unknown> = credentials,
  ) =>
    metaReceipts.handshake?.({
      settings,
      credentials: ownCredentials,
      query: new URLSearchParams({
        'hub.mode': 'subscribe',
        'hub.verify_token': 'verify-5ecret',
        'hub.challenge': '1158201444',
        ...changes,
      }),
    });

  test('returns the challenge to a caller with the verify token', () => {
    expect(requestHandshake()).toBe('1158201444');
  });

  test.each<[Record<string, string>]>([
    [{ 'hub.verify_token': 'verify-5ecreT' }],
    [{ 'hub.verify_token': '' }],
    [{ 'hub.verify_token': 'verify-5ecret-and-more' }],
    [{ 'hub.mode': 'unsubscribe' }],
    [{ 'hub.mode': '' }],
    [{ 'hub.challenge': '' }],
    [{ 'hub.challenge': '<script>alert(1)</script>' }],
    [{ 'hub.challenge': '1'.repeat(257) }],
  ])('is refused with %j', (changes) => {
    expect(requestHandshake(changes)).toBeUndefined();
  });

  test.each([[{}], [{ verify_token: '' }], [{ verify_token: 7 }]])(
    'is refused by an integration without a verify token: %j',
    (invalidCredentials) => {
      expect(requestHandshake({ 'hub.verify_token': '' }, invalidCredentials)).toBeUndefined();
      expect(requestHandshake({}, invalidCredentials)).toBeUndefined();
    },
  );
});
