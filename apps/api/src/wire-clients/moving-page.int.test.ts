import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { channels } from '@belfry/channels';
import { channelVersion } from '@belfry/testing';
import type { Client } from './clients.fixture';
import { createWireGateway, readItems, type WireGateway } from './wire-gateway.fixture';

const page = readFileSync(
  path.join(__dirname, '../../../../docs/how-to/move-from-raven.md'),
  'utf8',
);
const event = 'every_channel';
let gateway: WireGateway;

beforeAll(async () => {
  gateway = await createWireGateway();
  const version = {
    email: channelVersion({ subject: 'Hi', text: 'Hi' }),
    sms: channelVersion({ text: 'Hi' }),
    slack: channelVersion({ text: 'Hi' }),
  };
  await gateway.factories.createEvent(gateway.tenant, version, { name: event });
});

afterAll(() => gateway.close());

/** The cells of a section's table, without surrounding backquotes. */
function readTable(title: string): string[][] {
  const section = page.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| '));
  return rows.slice(2).map((row) =>
    row
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim().replace(/^`([^`]*)`$/, '$1')),
  );
}

type Call = { path: string; body: object; method?: 'GET' | 'PUT'; client?: Client };

async function call({ path: below, body, method, client = 'documentation' }: Call) {
  const text = method === 'GET' ? {} : { body: JSON.stringify(body) };
  return gateway.exchange({ client, path: below, ...(method ? { method } : {}), ...text });
}

const laterMs = (Math.floor(Date.now() / 1_000) + 3_600) * 1_000;

/** Test values by Belfry's field name. */
const samples: Record<string, unknown> = {
  'user.user_id': 'ana',
  'user.whatsapp_mobile': '+4512345678',
  'user.onesignal_external_id': 'os',
  'user.onesignal_player_ids': ['p'],
  'user.fcm_tokens': ['f'],
  'user.ios_tokens': ['i'],
  'user.fcm_topic': 'news',
  'user.fcm_device_group': 'g',
  'user.slack.access_token': 'xoxb-1234-canarycanary',
  'user.slack.channel_id': 'C0123456789',
  'user.telegram.chat_id': '42',
  schedule_at: laterMs,
  'override.email.schedule_at': laterMs,
  'override.email.attachments[0].file_name': 'a.txt',
  'override.sms.sender': 'SHOP',
  whatsapp_mobile: '+4512345678',
};

/** Another value of the same type. */
function changeSample(sample: unknown): unknown {
  if (typeof sample === 'number') return sample + 60_000;
  return Array.isArray(sample) ? [...sample, 'x'] : `${sample}1`;
}

type Members = Record<string, unknown>;

/** A copy of the body with the value at a path such as `override.email.attachments[0].filename`. */
function setAt(body: object, memberPath: string, value: unknown): object {
  const copy = structuredClone(body);
  const names = memberPath.split(/[.[\]]+/).filter((name) => name !== '');
  let inner = copy as Members;
  for (const [at, name] of names.slice(0, -1).entries()) {
    inner[name] ??= names[at + 1] === '0' ? [] : {};
    inner = inner[name] as Members;
  }
  inner[names.at(-1) ?? ''] = value;
  return copy;
}

/** The recipient that a send stores, and the result of a dry run, without IDs and sealed tokens, which differ each time. */
async function readSend(body: object): Promise<string> {
  const { json } = await call({ path: '/events/send', body });
  const [item] = await readItems(gateway, String(json['id']));
  const { json: planned } = await call({ path: '/events/send?dry_run=true', body });
  expect(planned['success']).toBe(true);
  return JSON.stringify([item?.recipient, planned])
    .replace(/"v1\.test\.[^"]+"/g, '"sealed"')
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'id');
}

/** The user that a write stores for a new user ID. */
async function readUser(body: object): Promise<string> {
  const answer = await call({ path: '/users', body: { ...body, user_id: randomUUID() } });
  const { user_id, user_sid, created_at, updated_at, ...stored } = answer.json;
  expect([user_id, user_sid, created_at, updated_at]).not.toContain(undefined);
  return JSON.stringify(stored);
}

const contact = { email: 'ana@example.com', mobile: '+4587654321' };
const attachments = [{ content: 'aGk=' }];
const reads: Record<string, { read(body: object): Promise<string>; body: object }> = {
  'events/send': {
    read: readSend,
    body: {
      event,
      user: { ...contact, slack: { email: contact.email } },
      override: { email: { attachments } },
    },
  },
  users: { read: readUser, body: contact },
};

describe('docs/how-to/move-from-raven.md, aliases', () => {
  test.each(readTable('Aliases') as [string, string, string][])(
    'in %s, %s is an alias of %s, which wins',
    async (route, alias, name) => {
      const { read, body } = reads[route] as (typeof reads)[string];
      const sample = samples[name];
      expect(sample).toBeDefined();
      const byName = await read(setAt(body, name, sample));
      expect(await read(setAt(body, alias, sample))).toBe(byName);
      expect(await read(body)).not.toBe(byName);
      const both = setAt(setAt(body, alias, changeSample(sample)), name, sample);
      expect(await read(both)).toBe(byName);
    },
  );
});

const user = { email: contact.email };

async function writeUser(fields: object) {
  return (await call({ path: '/users', body: { user_id: 'writer', ...fields } })).json;
}

/** A check for each row of the table, by its first cell. */
const differences: Record<string, () => Promise<void>> = {
  'accepted send or bulk': async () => {
    for (const [below, body] of [
      ['/events/send', { event, user }],
      ['/events/bulk_send', { event, batch: [{ user }] }],
    ] as const) {
      const { json } = await call({ path: below, body });
      expect(json['id']).toMatch(/^[0-9a-f-]{36}$/);
      expect(json['request_id']).toBe(json['id']);
    }
  },
  'send without `user`': async () => {
    const { status, json } = await call({ path: '/events/send', body: { event } });
    const [item] = await readItems(gateway, String(json['id']));
    const reason = 'no_recipient';
    expect(status).toBe(200);
    expect(item?.skips).toMatchObject({ email: { reason }, sms: { reason }, slack: { reason } });
  },
  'every error': async () => {
    const unknown = await call({ path: '/events/send', body: { event: 'nowhere' } });
    expect(unknown.json).toMatchObject({ success: false, error: 'event not found' });
    const blank = await call({ path: '/events/send', body: {} });
    expect(blank.json).toMatchObject({ errors: ['event must not be blank'] });
    for (const { json } of [unknown, blank]) {
      expect(json).toMatchObject({ code: expect.any(String), request_id: expect.any(String) });
    }
  },
  'body that is not JSON': async () => {
    const client = 'documentation';
    const { status, json } = await gateway.exchange({ client, path: '/events/send', body: '{' });
    expect(status).toBe(400);
    expect(json).toMatchObject({ message: 'Unable to process JSON', code: 'malformed_json' });
  },
  'unknown `user_id` in a send': async () => {
    const body = { event, user: { user_id: 'unknown', ...user } };
    const { status, json } = await call({ path: '/events/send', body });
    const [item] = await readItems(gateway, String(json['id']));
    expect([status, item?.targets]).toEqual([200, { email: user.email }]);
  },
  '`null` in a write': async () => {
    await writeUser(contact);
    expect(await writeUser({ email: null, mobile: '' })).toMatchObject(user);
    expect(await writeUser({})).not.toHaveProperty('mobile');
  },
  '`slack.access_token` of a user': async () => {
    const slack = { access_token: 'xoxb-1234-canarycanary', channel_id: 'C0123456789' };
    const masked = (await writeUser({ slack }))['slack'];
    expect(masked).toEqual({ ...slack, access_token: '********' });
    expect((await writeUser({ slack: masked }))['slack']).toEqual(masked);
  },
  '`fcm_token` that another user has': async () => {
    const [fcm_token, first, second] = [randomUUID(), randomUUID(), randomUUID()];
    for (const user_id of [first, second]) {
      await call({ path: '/users', body: { user_id } });
      await call({ path: `/users/${user_id}/devices`, body: { fcm_token } });
    }
    const read = (id: string) => call({ path: `/users/${id}`, method: 'GET', body: {} });
    expect((await read(first)).json['devices']).toEqual([]);
    expect((await read(second)).json['devices']).toMatchObject([{ fcm_token }]);
  },
  'same `Idempotency-Key`, other body': async () => {
    const headers = { 'Idempotency-Key': randomUUID() };
    const send = (body: object) =>
      gateway.exchange({
        client: 'node',
        path: '/events/send',
        headers,
        body: JSON.stringify(body),
      });
    expect((await send({ event })).status).toBe(200);
    expect(await send({ event, user })).toMatchObject({
      status: 422,
      json: { code: 'idempotency_mismatch' },
    });
  },
  'more than 1,000 elements in a bulk': async () => {
    const batch = Array.from({ length: 1_001 }, () => ({ user }));
    const { status, json } = await call({ path: '/events/bulk_send', body: { event, batch } });
    expect([status, String(json['error'])]).toEqual([422, expect.stringContaining('1000')]);
  },
  'user ID with `/`, which Node and Python do not encode': async () => {
    await call({ path: '/users', body: { user_id: 'a/b' } });
    const client = 'python';
    const { status } = await call({ client, path: '/users/a/b', method: 'GET', body: {} });
    expect(status).toBe(404);
  },
};

describe('docs/how-to/move-from-raven.md, differences', () => {
  test.each(readTable('Differences').map(([row = '']) => row))('%s', async (row) => {
    const check = differences[row];
    expect(check).toBeDefined();
    await check?.();
  });
});

describe('docs/how-to/move-from-raven.md, missing routes', () => {
  test.each(readTable('Missing').map(([request = '']) => request.split(' ') as [string, string]))(
    '%s %s',
    async (method, target) => {
      const below = target.replace('/v1/apps/{app_id}', '').replace(/\{\w+\}/g, 'ana');
      for (const Authorization of ['', 'AuthKey {key}']) {
        const { status, json } = await gateway.exchange({
          client: 'documentation',
          method: method as 'GET' | 'POST' | 'DELETE',
          path: below,
          headers: { Authorization, 'X-Raven-User-Signature': 'x' },
          ...(method === 'POST' ? { body: '{}' } : {}),
        });
        expect([401, 404]).toContain(status);
        expect(json).toMatchObject({ success: false, error: expect.any(String) });
      }
    },
  );

  test('the list has every provider', () => {
    const [, list = ''] = /not in this list: ([^.]*)\./.exec(page.replaceAll('\n', ' ')) ?? [];
    const listed = list.split(',').map((name) => name.trim().replaceAll('`', ''));
    const names = Object.values(channels).flatMap(({ providers }) => Object.keys(providers));
    expect(listed.sort()).toEqual([...new Set(names)].sort());
  });
});
