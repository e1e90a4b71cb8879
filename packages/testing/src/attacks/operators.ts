import assert from 'node:assert/strict';
import type { Browser } from './browser';
import { type Attack, invite, password, setUp, type Target } from './target';

export const operatorAttacks: Attack[] = [
  {
    kind: 'S8',
    title: 'an invitation of another account does not move a person removed in one account',
    async run({ owner, otherAccount, local }) {
      const email = 'removed@example.com';
      const { dashboard_url: url } = local.ready;
      const removed = await readId(await setUp(url, await inviteOk(owner, email), email));
      await owner.sendOk('DELETE', `/api/people/${removed}`, { password });
      const moved = await readId(
        await setUp(url, await inviteOk(otherAccount.owner, email), email),
      );
      assert.notEqual(moved, removed);
      const back = await setUp(url, await inviteOk(owner, email), email);
      assert.notEqual(await readId(back), moved);
    },
  },
  {
    kind: 'S8',
    title: 'an address with an operator in another account can be invited, and its link works',
    async run({ owner, otherAccount, local }) {
      const email = 'squatted@example.com';
      const { dashboard_url: url } = local.ready;
      await setUp(url, await inviteOk(otherAccount.owner, email), email);
      const invited = await setUp(url, await inviteOk(owner, email), email);
      assert.equal(await readAccountId(invited), await readAccountId(owner));
    },
  },
  {
    kind: 'S8',
    title: 'an invitation and its link do not reveal who is an operator elsewhere',
    run: compareAnswers,
  },
];

async function inviteOk(owner: Browser, email: string): Promise<string> {
  const answer = await invite(owner, email);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.token;
}

async function readId(browser: Browser): Promise<string> {
  return (await browser.sendOk('GET', '/api/session')).operator.id;
}

async function readAccountId(browser: Browser): Promise<string> {
  return (await browser.sendOk('GET', '/api/session')).account.id;
}

async function compareAnswers({ owner, otherAccount, local }: Target): Promise<void> {
  const knownEmail = 'known@example.com';
  const { dashboard_url: url } = local.ready;
  await setUp(url, await inviteOk(owner, knownEmail), knownEmail);
  const answers = [];
  for (const email of [knownEmail, 'unknown@example.com']) {
    const token = await inviteOk(otherAccount.owner, email);
    answers.push(await readAccountId(await setUp(url, token, email)));
  }
  assert.deepEqual(answers, Array(2).fill(await readAccountId(otherAccount.owner)));
}
