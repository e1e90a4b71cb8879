import assert from 'node:assert/strict';
import { eventually } from '../eventually';
import { call, type HttpAnswer } from './http-call';
import { type Attack, createAccount, createSender, type Sender, type Target } from './target';

/** An account is refused 15 s after it crosses its limit, and later on a busy machine. */
const refusedWithinMs = 60_000;

export const storageAttacks: Attack[] = [
  {
    kind: 'section 2',
    title: 'an account over its quota stores nothing more, and other accounts are not affected',
    run: storeBeyondQuota,
  },
];

async function storeBeyondQuota({ local, otherAccount }: Target): Promise<void> {
  const account = await createAccount(local, 'Account with a quota');
  await local.runCli('account', 'quota', account.accountId, '0.001MB');
  const sender = { apiUrl: local.ready.api_url, ...account };
  let count = 0;
  const refusal = await eventually(
    async () => {
      count += 1;
      const answer = await createUser(sender, `user-${count}`);
      assert.equal(answer.status, 429, answer.text);
      return answer;
    },
    { timeoutMs: refusedWithinMs, intervalMs: 200 },
  );
  assert.equal(refusal.body.code, 'storage_limit');
  assert.equal((await readUser(sender, `user-${count}`)).status, 404);
  assert.equal((await createUser(createSender(local, otherAccount), 'ana')).status, 200);
}

function createUser(sender: Sender, userId: string): Promise<HttpAnswer> {
  return callUsers(sender, 'users', { user_id: userId, email: `${userId}@example.com` });
}

function readUser(sender: Sender, userId: string): Promise<HttpAnswer> {
  return callUsers(sender, `users/${userId}`);
}

function callUsers(
  { apiUrl, apiKey, appId }: Sender,
  path: string,
  body?: object,
): Promise<HttpAnswer> {
  return call(apiUrl, `/v1/apps/${appId}/${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `AuthKey ${apiKey}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
}
