import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import type { HttpAnswer, Json } from './http-call';
import {
  type Attack,
  createDefinition,
  createSender,
  holdPolicy,
  publish,
  readCpuMs,
  readPeakMb,
  readSettled,
  send,
  type Target,
} from './target';

/** The goal for one template, plus the process's other work. The attacks took 9 s and 4 GB. */
const maxCpuMs = 1_000;
const maxGrowthMb = 100;
const maxWaitMs = 2_000;

const user = { mobile: '+4520123456', slack: { channel_id: 'C012345678' } };
const joined = { list: Array(100_000).fill(0), sep: 's'.repeat(5_300) };
const twelveJoins = `{{and ${Array(12).fill('(join list sep)').join(' ')}}}`;
/** One joined text is longer than the maximum string of V8. */
const tooLongForV8 = { ...joined, sep: 's'.repeat(5_400) };

export const renderingAttacks: Attack[] = [
  {
    kind: 'S1',
    title: 'a preview of twelve joins is refused as too complex, and the dashboard keeps running',
    run: (target) =>
      withinBounds(target, 'dashboard', async () => {
        const answer = await preview(target, twelveJoins);
        assertTooComplex(answer);
      }),
  },
  {
    kind: 'S1',
    title: 'a send of twelve joins under `hold` fails as too complex, and the worker keeps running',
    run: (target) => withinBounds(target, 'worker', () => sendJoins(target, holdPolicy)),
  },
  {
    kind: 'S1',
    title: 'a send of twelve joins under `resend` is attempted once, and the worker keeps running',
    run: (target) =>
      withinBounds(target, 'worker', () =>
        sendJoins(target, { attempts: 3, onUnknown: 'resend', timeToLiveMs: 600_000 }),
      ),
  },
  {
    kind: 'S1',
    title: 'a dry run of one join of 500 MB is refused as too complex',
    run: (target) =>
      withinBounds(target, 'api', async () => {
        assertTooComplex(await dryRun(target, '{{join list sep}}', joined));
      }),
  },
  {
    kind: 'S1',
    title: 'a dry run of a text beyond V8’s limit is refused as too complex, not answered 500',
    run: (target) =>
      withinBounds(target, 'api', async () => {
        assertTooComplex(await dryRun(target, '{{join list sep}}', tooLongForV8));
      }),
  },
  {
    kind: 'S2',
    title: 'messages with 15 expensive fields fail as too complex, and 60 are not published',
    run: (target) =>
      withinBounds(target, 'worker', async () => {
        await assert.rejects(publishSlow(target, 60), /not_publishable/);
        const requestId = await sendSlow(target, await publishSlow(target, 15));
        await assertFailsTooComplex(target, requestId);
      }),
  },
  {
    kind: 'S2',
    title: 'another account’s single message is sent within 2 s behind eight expensive ones',
    run: sendBehindSlow,
  },
];

/** Fails if the named process ended, or used more time or memory than these attacks may cost. */
async function withinBounds(
  { local }: Target,
  name: 'api' | 'dashboard' | 'worker',
  attack: () => Promise<void>,
): Promise<void> {
  const pid = local.findPid(name);
  const [cpuMs, peakMb] = [readCpuMs(pid), readPeakMb(pid)];
  await attack();
  assert.ok(existsSync(`/proc/${pid}`), `${name} ended:\n${local.output()}`);
  const [usedMs, grownMb] = [readCpuMs(pid) - cpuMs, readPeakMb(pid) - peakMb];
  assert.ok(usedMs < maxCpuMs, `${name} used ${usedMs} ms of processor time`);
  assert.ok(grownMb < maxGrowthMb, `${name} grew by ${Math.round(grownMb)} MB`);
}

function assertTooComplex({ status, text }: HttpAnswer): void {
  assert.equal(status, 422, text.slice(0, 500));
  assert.match(text, /too_complex/);
}

async function preview({ viewer, owner, local }: Target, text: string): Promise<HttpAnswer> {
  const at = `/api/apps/${local.ready.app_id}/events`;
  const [event] = (await owner.sendOk('GET', at)).events;
  const definition = createDefinition('sms', { text });
  return viewer.send('POST', `${at}/${event.id}/preview`, { definition, user, data: joined });
}

async function dryRun({ editor, local }: Target, text: string, data: Json): Promise<HttpAnswer> {
  const { app_id: appId } = local.ready;
  const { name } = await publish(editor, appId, createDefinition('sms', { text }));
  return send(createSender(local), { event: name, user, data }, '?dry_run=true');
}

async function sendJoins(target: Target, policy: object): Promise<void> {
  const { editor, local } = target;
  const definition = createDefinition('sms', { text: twelveJoins }, { policy });
  const { name } = await publish(editor, local.ready.app_id, definition);
  const answer = await send(createSender(local), { event: name, user, data: joined });
  assert.equal(answer.status, 200, answer.text);
  await assertFailsTooComplex(target, answer.body.request_id);
}

async function assertFailsTooComplex({ owner, local }: Target, requestId: string): Promise<void> {
  const { state, reason, attempts } = await readSettled(owner, local.ready.app_id, requestId);
  assert.deepEqual(
    { state, reason, attempts },
    { state: 'failed', reason: 'too_complex', attempts: 1 },
  );
}

/** Slack blocks with this many fields. Each repeats an `or` of 16 absent paths for each element. */
async function publishSlow({ editor, local }: Target, fields: number): Promise<string> {
  const x = `{{#each a}}{{or${' x.y'.repeat(16)}}}{{/each}}`;
  const blocks = JSON.stringify(Array.from({ length: fields }, () => ({ type: 'divider', x })));
  const definition = createDefinition('slack', { text: 'x', blocks });
  return (await publish(editor, local.ready.app_id, definition)).name;
}

async function sendSlow({ local }: Target, event: string): Promise<string> {
  const data = { a: Array(28_000).fill(0) };
  const answer = await send(createSender(local), { event, user, data });
  assert.equal(answer.status, 200, answer.text);
  return answer.body.request_id;
}

async function sendBehindSlow(target: Target): Promise<void> {
  const { local, otherAccount } = target;
  const slow = await publishSlow(target, 10);
  const definition = createDefinition('slack', { text: 'Hello' });
  const { name } = await publish(otherAccount.owner, otherAccount.appId, definition);
  await Promise.all(Array.from({ length: 8 }, () => sendSlow(target, slow)));
  const answer = await send(createSender(local, otherAccount), { event: name, user });
  assert.equal(answer.status, 200, answer.text);
  const { request_id: requestId } = answer.body;
  const message = await readSettled(otherAccount.owner, otherAccount.appId, requestId);
  const tookMs = message.settledAt - message.createdAt;
  assert.equal(message.state, 'sent');
  assert.ok(tookMs < maxWaitMs, `It took ${tookMs} ms`);
}
