import assert from 'node:assert/strict';
import { createApiKey } from '@belfry/shared';
import { simulatedAuthToken } from '../simulators/twilio';
import { openBrowser } from './browser';
import { call, callRaw, readStatus } from './http-call';
import {
  type Attack,
  createDefinition,
  createSender,
  ownerEmail,
  password,
  publish,
  readSettled,
  send,
  type Target,
} from './target';

const wrongPasswords = 60;
const unknownKeys = 600;
const replays = 20;
/** 10 s and 45 s, plus 5 s for the interval of the connection checks and 2 s for the answer. */
const [maxHeadersMs, maxBodyMs] = [17_000, 52_000];

/** Externally visible findings of section 2 of the review. The last one restarts everything. */
export const hardeningAttacks: Attack[] = [
  {
    kind: 'section 2',
    title: 'a transfer encoding other than chunked is answered 501',
    run: (target) =>
      onBoth(target, async (url, { host, path }) => {
        const head = `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nOrigin: http://${host}\r\n`;
        const encoded =
          'Transfer-Encoding: gzip, chunked\r\nContent-Type: application/json\r\n\r\n';
        const answer = await callRaw(url, `${head}${encoded}2\r\n{}\r\n0\r\n\r\n`);
        assert.equal(readStatus(answer), 501, answer);
      }),
  },
  {
    kind: 'section 2',
    title: 'two Host headers are answered 400',
    run: (target) =>
      onBoth(target, async (url, { host, path }) => {
        const hosts = `Host: ${host}\r\nHost: evil.example\r\n`;
        const answer = await callRaw(url, `GET ${path} HTTP/1.1\r\n${hosts}\r\n`);
        assert.equal(readStatus(answer), 400, answer);
      }),
  },
  {
    kind: 'section 2',
    title: 'every answer tells browsers not to guess its type',
    run: (target) =>
      onBoth(target, async (url, { host }) => {
        for (const path of ['/livez', '/readyz', '/', '/nowhere', '/api/session', '/v1/apps']) {
          const { headers } = await call(url, path);
          assert.equal(headers['x-content-type-options'], 'nosniff', `${url}${path}`);
        }
        const rawResponse = await callRaw(url, `BREW / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
        assert.match(rawResponse, /x-content-type-options: nosniff/i);
      }),
  },
  {
    kind: 'section 2',
    title: 'two session cookies do not sign in',
    async run({ owner, local }) {
      const [name, value] = owner.cookie().split(/[;=]/);
      const another = `${name}=${'A'.repeat(43)}`;
      const own = `${name}=${value}`;
      for (const cookie of [`${own}; ${another}`, `${another}; ${own}`]) {
        const { status } = await call(local.ready.dashboard_url, '/api/apps', {
          headers: { cookie },
        });
        assert.ok(status >= 400 && status < 500, `${status}`);
      }
    },
  },
  { kind: 'section 2', title: 'a replayed receipt is stored once', run: replayReceipt },
  {
    kind: 'section 2',
    title: 'wrong passwords from another client do not lock out a browser that signed in before',
    run: lockOut,
  },
  {
    kind: 'section 2',
    title: 'look-ups of unknown keys are limited per network, and a valid key still works',
    run: guessKeys,
  },
  {
    kind: 'section 2',
    title: 'the dashboard ends calls whose headers or body come too slowly',
    async run({ slowCalls }) {
      const [headersMs, bodyMs] = await Promise.all([slowCalls.headersMs, slowCalls.bodyMs]);
      assert.ok(headersMs < maxHeadersMs, `headers: ${Math.round(headersMs)} ms`);
      assert.ok(bodyMs < maxBodyMs, `body: ${Math.round(bodyMs)} ms`);
    },
  },
  {
    kind: 'section 2',
    title: 'over HTTPS every answer tells browsers to keep using HTTPS',
    async run(target) {
      await target.local.restart({ TRUSTED_PROXIES: '127.0.0.1/32' });
      await onBoth(target, async (url) => {
        for (const path of ['/livez', '/', '/nowhere', '/api/session', '/v1/apps']) {
          const { headers } = await call(url, path, { headers: { 'x-forwarded-proto': 'https' } });
          assert.match(headers['strict-transport-security'] ?? '', /max-age=\d+/, `${url}${path}`);
        }
      });
    },
  },
];

/** A path that takes a body, for raw calls. */
type Place = { host: string; path: string };

async function onBoth(
  { local }: Target,
  attack: (url: string, place: Place) => Promise<void>,
): Promise<void> {
  const { api_url: api, dashboard_url: dashboard, app_id: appId } = local.ready;
  await attack(api, { host: new URL(api).host, path: `/v1/apps/${appId}/events/send` });
  await attack(dashboard, { host: new URL(dashboard).host, path: '/api/session' });
}

async function lockOut({ local }: Target): Promise<void> {
  const { dashboard_url: url } = local.ready;
  const ownerBrowser = openBrowser(url);
  const signIn = { email: ownerEmail, password };
  await ownerBrowser.sendOk('POST', '/api/session', signIn);
  let throttled = 0;
  for (let count = 0; count < wrongPasswords; count += 1) {
    const guess = { ...signIn, password: `guess ${count}` };
    const { status } = await openBrowser(url).send('POST', '/api/session', guess);
    if (status === 429) throttled += 1;
  }
  assert.ok(throttled > 0, 'password guesses are not throttled');
  assert.equal((await ownerBrowser.send('POST', '/api/session', signIn)).status, 200);
}

async function guessKeys({ local }: Target): Promise<void> {
  const sender = createSender(local);
  const statuses = new Set<number>();
  for (let count = 0; count < unknownKeys; count += 1) {
    const { status } = await send({ ...sender, apiKey: createApiKey().key }, { event: 'none' });
    statuses.add(status);
  }
  assert.deepEqual([...statuses].sort(), [401, 429]);
  assert.equal((await send(sender, { event: 'none', user: { user_id: 'ana' } })).status, 404);
}

/** A live app with a Twilio simulator. */
async function replayReceipt({ owner, local, twilio }: Target): Promise<void> {
  const app = await owner.sendOk('POST', '/api/apps', { name: 'Live', delivery: 'live' });
  const integration = await owner.sendOk('POST', `/api/apps/${app.id}/integrations`, {
    channel: 'sms',
    provider: 'twilio',
    name: 'twilio',
    settings: { sender: '+15005550009' },
    credentials: { account_sid: `AC${'0'.repeat(32)}`, auth_token: simulatedAuthToken },
  });
  const definition = createDefinition(
    'sms',
    { text: 'Hello' },
    { integrationIds: [integration.id] },
  );
  const { name } = await publish(owner, app.id, definition);
  const sender = { ...createSender(local), appId: app.id };
  const answer = await send(sender, { event: name, user: { mobile: '+4520123456' } });
  const { request_id: requestId } = answer.body;
  await readSettled(owner, app.id, requestId);
  const [sent] = twilio.sends;
  assert.ok(sent, 'no SMS was sent');
  assert.equal(await twilio.report(sent, { status: 'delivered', times: replays }), 200);
  const { steps } = await readSettled(owner, app.id, requestId);
  assert.equal(steps.filter(({ kind }: { kind: string }) => kind === 'receipt').length, 1);
}
