import { createHash, randomBytes } from 'node:crypto';
import { channelNames } from '@belfry/channels';
import { newId } from '@belfry/runtime';
import { completeDefinition } from '@belfry/shared';
import { eventually, type System, startSystem, type Tenant } from '@belfry/testing';
import type { SendBody } from './bodies';

/** The result of one way to send: the errors, or what is planned. */
export type Verdict = { status: number; error: string; errors: unknown } | { planned: Planned };

type Planned = { messages: PlannedMessage[]; skips: Record<string, unknown> };
type PlannedMessage = { channel: string; target: string; dueAt: number | undefined };

/** Every way to send, each through its real process. */
export type Entries = Record<
  'send' | 'bulkElement' | 'dryRun' | 'testSend',
  (body: SendBody) => Promise<Verdict>
> & { stop(): Promise<void> };

const templates: Record<string, object> = {
  email: { subject: 'Hi', text: 'Hi' },
  whatsapp: { kind: 'text', text: 'Hi' },
  push: { title: 'Hi' },
  onesignal: { title: 'Hi', body: 'Hi' },
  in_app: { title: 'Hi', body: 'Hi' },
};

const definition = completeDefinition({
  channels: Object.fromEntries(
    channelNames.map((name) => [name, { templates: { en: templates[name] ?? { text: 'Hi' } } }]),
  ),
});

/** Nothing is delivered, so the plan stays unchanged. */
export async function startEntries(): Promise<Entries> {
  const system = await startSystem({ workers: ['fanout,relay'] });
  const tenant = await system.factories.createTenant();
  const event = await system.factories.createEvent(tenant, definition.channels);
  const gateway = `${system.apiUrl}/v1/apps/${tenant.appId}`;
  const headers = { Authorization: `AuthKey ${tenant.apiKey}` };
  const dashboard = await system.startDashboard();
  const dashboardUrl = String((await dashboard.waitForLine('dashboard.ready'))['url']);
  const test = `${dashboardUrl}/api/apps/${tenant.appId}/events/${event.eventId}/test`;
  const session = { Cookie: await signIn(system, tenant), Origin: dashboardUrl };
  await storeUser({ url: gateway, headers });

  return {
    async send(body) {
      const call = { url: `${gateway}/events/send`, headers, body: { event: event.name, ...body } };
      return judge(await post(call), ({ request_id: id }) => readPlanned(system, String(id)));
    },
    async bulkElement(body) {
      const bulk = { event: event.name, batch: [body] };
      const answer = await post({ url: `${gateway}/events/bulk_send`, headers, body: bulk });
      return judge(answer, ({ request_id: id }) => readPlanned(system, String(id)));
    },
    async dryRun(body) {
      const url = `${gateway}/events/send?dry_run=true`;
      const answer = await post({ url, headers, body: { event: event.name, ...body } });
      return judge(answer, async ({ messages }) => readDryRun(messages as DryRunMessage[]));
    },
    async testSend(body) {
      const sent = { definition, delivery: 'sandbox', ...body };
      const answer = await post({ url: test, headers: session, body: sent });
      return judge(answer, ({ requestId }) => readPlanned(system, String(requestId)));
    },
    stop: () => system.stop(),
  };
}

type HttpCall = { url: string; headers: Record<string, string>; body: object };
type Answer = { status: number; body: Record<string, unknown> };

async function post({ url, headers, body }: HttpCall): Promise<Answer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  // Every answer is a JSON object.
  return { status: response.status, body: (await response.json()) as Answer['body'] };
}

/** Removes the index of a bulk element, and turns the dashboard's field errors into the gateway's texts. */
async function judge(
  { status, body }: Answer,
  readPlan: (body: Answer['body']) => Promise<Planned>,
): Promise<Verdict> {
  if (status === 200) return { planned: await readPlan(body) };
  const fields = body['fields'] as { path: string; problem: string }[] | undefined;
  const errors = fields?.map(({ path, problem }) => `${path} ${problem}`) ?? body['errors'];
  const reportedErrors = { error: body['error'], errors: status === 422 ? errors : undefined };
  const text = JSON.stringify(reportedErrors)
    .replaceAll('batch[0].', '')
    .replaceAll('batch[0]', 'body');
  return { status, ...JSON.parse(text) };
}

async function storeUser({ url, headers }: Omit<HttpCall, 'body'>): Promise<void> {
  const body = {
    ...{ user_id: 'stored-ana', email: 'stored@example.com', mobile: '+12025550199' },
    preferences: { channel_preferences: { whatsapp: { disabled: true } } },
  };
  await post({ url: `${url}/users`, headers, body });
  const device = { fcm_token: 'stored-token', platform: 'android' };
  await post({ url: `${url}/users/stored-ana/devices`, headers, body: device });
}

async function signIn({ database }: System, { accountId }: Tenant): Promise<string> {
  const [id, token] = [newId(), randomBytes(32).toString('base64url')];
  const operator = { id, accountId, email: `${id}@example.com`, passwordHash: 'none' };
  await database.prisma.operator.create({ data: { ...operator, role: 'owner' } });
  const tokenHash = createHash('sha256').update(token).digest();
  const expiresAt = new Date(Date.now() + 60 * 60_000);
  await database.prisma.operatorSession.create({
    data: { tokenHash: new Uint8Array(tokenHash), operatorId: id, expiresAt },
  });
  return `belfry_session=${token}`;
}

const soonMs = 60 * 60_000;

function readDueAt(at: Date | null | undefined): number | undefined {
  return at && at.getTime() > Date.now() + soonMs ? at.getTime() : undefined;
}

/** The message rows of a request, once fanout has planned it. */
async function readPlanned({ database }: System, requestId: string): Promise<Planned> {
  const { prisma } = database;
  await eventually(async () => {
    const request = await prisma.request.findUnique({ where: { id: requestId } });
    if (!request || (request.plannedItems < 1 && request.plannedTo < 1)) {
      throw new Error(`The request ${requestId} is not planned yet`);
    }
  });
  const where = { requestId };
  const item = await prisma.requestItem.findFirstOrThrow({ where, include: { messages: true } });
  return {
    messages: sort(
      item.messages.map(({ channel, target, dueAt }) => {
        return { channel, target, dueAt: readDueAt(dueAt) };
      }),
    ),
    skips: (item.skips ?? {}) as Planned['skips'],
  };
}

type DryRunMessage = {
  channel: string;
  would: 'send' | 'skip' | 'fail';
  reason?: string;
  detail?: string;
  target?: string;
  due_at?: number;
};

/** A message that would fail is planned, too: it fails when it is composed. */
function readDryRun(messages: readonly DryRunMessage[]): Planned {
  const planned = messages.filter(({ would }) => would !== 'skip');
  const skipped = messages.filter(({ would }) => would === 'skip');
  return {
    messages: sort(
      planned.map(({ channel, target, due_at: at }) => {
        return { channel, target: String(target), dueAt: at };
      }),
    ),
    skips: Object.fromEntries(
      skipped.map(({ channel, reason, detail }) => [channel, { reason, detail }]),
    ),
  };
}

function sort(messages: PlannedMessage[]): PlannedMessage[] {
  const getSortKey = ({ channel, target }: PlannedMessage) => `${channel} ${target}`;
  return messages.sort((a, b) => (getSortKey(a) < getSortKey(b) ? -1 : 1));
}
