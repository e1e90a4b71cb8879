import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createDatabase } from '@belfry/database';
import { createLogger } from '@belfry/runtime';
import { eventually } from '../eventually';
import { createTwilioSimulator, type TwilioSimulator } from '../simulators/twilio';
import { type Browser, openBrowser } from './browser';
import { call, type HttpAnswer, type Json } from './http-call';
import { type LocalStart, startLocal } from './local-start';
import { type SlowCalls, startSlowCalls } from './slow-calls';

/** The running product with people of two accounts, as an attacker on the same machine sees it. */
export type Target = {
  local: LocalStart;
  owner: Browser;
  editor: Browser;
  viewer: Browser;
  /** Another account. */
  otherAccount: { apiKey: string; appId: string; owner: Browser };
  twilio: TwilioSimulator;
  /** Slow calls, started with the target because they take long. */
  slowCalls: SlowCalls;
  close(): Promise<void>;
};

/** One reproduction. `title` states what must hold; `run` attacks and throws if it does not. */
export type Attack = { kind: string; title: string; run(target: Target): Promise<void> };

export const ownerEmail = 'owner@example.com';
export const password = 'a sentence of her own';
const linkLivesMs = 1_800_000;

export async function openTarget(): Promise<Target> {
  const twilio = await createTwilioSimulator();
  const local = await startLocal({ TWILIO_API_URL: twilio.url });
  async function close(): Promise<void> {
    await local.remove();
    await twilio.close();
  }
  try {
    const { dashboard_url: dashboardUrl, set_up_url: setUpUrl } = local.ready;
    const slowCalls = startSlowCalls(dashboardUrl);
    const owner = await setUp(dashboardUrl, tokenIn(setUpUrl ?? ''), ownerEmail);
    const [editor, viewer] = [
      await join(dashboardUrl, owner, { email: 'editor@example.com', role: 'editor' }),
      await join(dashboardUrl, owner, { email: 'viewer@example.com', role: 'viewer' }),
    ];
    const otherAccount = await createOther(local);
    return { local, owner, editor, viewer, otherAccount, twilio, slowCalls, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Uses a link as a person would; signs the browser in. */
export async function setUp(dashboardUrl: string, token: string, email: string): Promise<Browser> {
  const browser = openBrowser(dashboardUrl);
  await browser.sendOk('POST', '/api/set-up', { token, email, password });
  return browser;
}

export function invite(owner: Browser, email: string, role = 'viewer'): Promise<HttpAnswer> {
  return owner.send('POST', '/api/people/invitations', { email, role, password });
}

async function join(
  dashboardUrl: string,
  owner: Browser,
  { email, role }: { email: string; role: string },
): Promise<Browser> {
  const invited = await invite(owner, email, role);
  return setUp(dashboardUrl, String(invited.body.token), email);
}

function tokenIn(link: string): string {
  return link.slice(link.indexOf('#') + 1);
}

async function createOther(local: LocalStart): Promise<Target['otherAccount']> {
  const { accountId, ...account } = await createAccount(local, 'Other account');
  const token = await createSetUpToken(local.ready.database_url, accountId);
  const owner = await setUp(local.ready.dashboard_url, token, 'owner@example.net');
  return { ...account, owner };
}

export async function createAccount(
  local: LocalStart,
  name: string,
): Promise<{ accountId: string; apiKey: string; appId: string }> {
  const printed = await local.runCli('account', 'create', name);
  const read = (label: string) => new RegExp(`^${label} +(\\S+)`, 'm').exec(printed)?.[1] ?? '';
  return { accountId: read('account'), apiKey: read('API key'), appId: read('app') };
}

/** The link that `npm start` prints for the first account, for another account. */
export async function createSetUpToken(url: string, accountId: string): Promise<string> {
  const log = createLogger({ level: 'error', process: 'attacks' });
  const { prisma, close } = createDatabase({ url, poolSize: 1, log });
  const token = randomBytes(32).toString('base64url');
  const expiresAt = new Date(Date.now() + linkLivesMs);
  const tokenHash = createHash('sha256').update(token).digest();
  const link = { tokenHash, accountId, kind: 'setup', role: 'owner', expiresAt };
  await prisma.invitation.create({ data: link }).finally(close);
  return token;
}

export const holdPolicy = { attempts: 1, onUnknown: 'hold', timeToLiveMs: 600_000 };

export function createDefinition(
  channel: string,
  template: unknown,
  { policy = holdPolicy as object, integrationIds = [] as string[] } = {},
) {
  const version = { integrationIds, policy, templates: { en: template } };
  return {
    defaultLocale: 'en',
    missing: 'empty',
    isSensitive: false,
    channels: { [channel]: version },
  };
}

/** A live event of an app, published as an editor would. */
export async function publish(
  browser: Browser,
  appId: string,
  definition: object,
): Promise<{ id: string; name: string }> {
  const at = `/api/apps/${appId}/events`;
  const name = `event_${randomBytes(6).toString('hex')}`;
  const { id, draft } = await browser.sendOk('POST', at, { name });
  const saved = await browser.sendOk('PUT', `${at}/${id}/draft`, {
    basedOn: draft.revision,
    definition,
  });
  await browser.sendOk('POST', `${at}/${id}/publish`, { basedOn: saved.revision });
  return { id, name };
}

export type Sender = { apiUrl: string; apiKey: string; appId: string };

export function createSender({ ready }: LocalStart, otherAccount?: Target['otherAccount']): Sender {
  const { apiKey, appId } = otherAccount ?? { apiKey: ready.api_key, appId: ready.app_id };
  return { apiUrl: ready.api_url, apiKey, appId };
}

export function send(
  { apiUrl, apiKey, appId }: Sender,
  body: unknown,
  query = '',
): Promise<HttpAnswer> {
  return call(apiUrl, `/v1/apps/${appId}/events/send${query}`, {
    method: 'POST',
    headers: { authorization: `AuthKey ${apiKey}`, 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

const settleTimeoutMs = 60_000;

/** The only message of a request, once it is settled. */
export function readSettled(browser: Browser, appId: string, requestId: string): Promise<Json> {
  return eventually(
    async () => {
      const { channelRows } = await browser.sendOk(
        'GET',
        `/api/apps/${appId}/requests/${requestId}`,
      );
      const [message] = channelRows;
      if (message === undefined || message.settledAt === null) throw new Error('Not settled');
      return message;
    },
    { timeoutMs: settleTimeoutMs, intervalMs: 100 },
  );
}

/** Processor time of a process in ms. Load on the machine does not add to it. */
export function readCpuMs(pid: number): number {
  const [, ...fields] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const [user, system] = fields.join(') ').split(' ').slice(11, 13).map(Number);
  return ((user ?? 0) + (system ?? 0)) * msPerTick;
}

/** USER_HZ is 100 on every Linux that Node runs on. */
const msPerTick = 10;

/** The peak memory of a process. */
export function readPeakMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024;
}
