import { inboxSecretPlace, totpPlace } from '@belfry/database';
import { newId } from '@belfry/runtime';
import { channelVersion, testSecrets } from '@belfry/testing';
import { type Neighbour, password, type StoredDashboard } from './stored-dashboard.fixture';
import { createCode } from './totp.fixture';

/** Setting of a change: an account with an owner and an app. */
export type Scene = Neighbour & { dashboard: StoredDashboard };

/** How to call a route so that it changes something. */
export type ChangeCall = {
  path?: Record<string, string>;
  body?: object;
  /** E-mail address of the operator, if not the owner. */
  by?: string;
};

export const definition = {
  defaultLocale: 'en',
  missing: 'empty',
  isSensitive: false,
  channels: { email: channelVersion({ subject: 'Hello', html: '<p>Hello</p>' }) },
};

export function address(): string {
  return `${newId()}@example.com`;
}

export async function invite({ call }: Scene): Promise<{ email: string; token: string }> {
  const email = address();
  const { body } = await call('post', 'people/invitations', { email, role: 'editor', password });
  return { email, token: body.token };
}

export async function joinByInvitation(scene: Scene): Promise<ChangeCall> {
  const { email, token } = await invite(scene);
  return { body: { token, email, password }, by: email };
}

export async function secondSession({ call, signInAgain }: Scene): Promise<ChangeCall> {
  await signInAgain();
  const { body } = await call('get', 'sessions');
  const otherSession = body.sessions.find((one: { isThisOne: boolean }) => !one.isThisOne);
  return { path: { id: otherSession.id } };
}

/** Creates a second key first, because revoking the last one needs a confirmation. */
export async function ownKey({ tenant }: Scene): Promise<ChangeCall> {
  return { path: { id: tenant.apiKeyId }, body: { password, confirm: true } };
}

/** An active inbox secret, however many there are. */
export async function inboxSecret({ tenant, dashboard }: Scene): Promise<ChangeCall> {
  const id = newId();
  const sealed = testSecrets().seal(id, inboxSecretPlace(id));
  const { prisma } = dashboard.database;
  await prisma.inboxSecret.create({ data: { id, appId: tenant.appId, sealed } });
  return { path: { id }, body: { password } };
}

/** Another secret may be created, because the others are revoked. */
export async function noInboxSecret({ tenant, dashboard }: Scene): Promise<ChangeCall> {
  const where = { appId: tenant.appId, revokedAt: null };
  const data = { revokedAt: new Date() };
  await dashboard.database.prisma.inboxSecret.updateMany({ where, data });
  return { body: { password } };
}

export async function anotherApp({ call }: Scene): Promise<ChangeCall> {
  const { body } = await call('post', 'apps', { name: 'To be removed' });
  return { path: { appId: body.id }, body: { confirmName: body.name } };
}

export async function invitation({ call }: Scene): Promise<ChangeCall> {
  const body = { email: address(), role: 'viewer', password };
  await call('post', 'people/invitations', body);
  const { invitations } = (await call('get', 'people')).body;
  return { path: { id: invitations[0].id } };
}

export async function person({ tenant, dashboard }: Scene): Promise<Record<string, string>> {
  const id = newId();
  await dashboard.database.prisma.operator.create({
    data: {
      id,
      accountId: tenant.accountId,
      email: address(),
      passwordHash: '',
      role: 'viewer',
    },
  });
  return { id };
}

export async function personWithTotp(scene: Scene): Promise<Record<string, string>> {
  const { id = '' } = await person(scene);
  const data = { operatorId: id, secret: '', confirmedAt: new Date(), lastStep: 1 };
  await scene.dashboard.database.prisma.operatorTotp.create({ data });
  return { id };
}

export async function codeOfNewTotp({ call }: Scene): Promise<ChangeCall> {
  const { body } = await call('post', 'totp', { password });
  return { body: { code: createCode(body.secret) } };
}

/** Two-step sign-in is on. */
export async function confirmedTotp({ email, tenant, dashboard }: Scene): Promise<ChangeCall> {
  const { prisma } = dashboard.database;
  const { accountId } = tenant;
  const { id } = await prisma.operator.findFirstOrThrow({ where: { email, accountId } });
  const secret = 'JBSWY3DPEHPK3PXP';
  const sealed = testSecrets().seal(secret, totpPlace(id));
  const totp = { secret: sealed, confirmedAt: new Date(), lastStep: 1 };
  const where = { operatorId: id };
  await prisma.operatorTotp.upsert({ where, create: { ...where, ...totp }, update: totp });
  return { body: { password, code: createCode(secret) } };
}

export async function storedUser({ tenant, dashboard }: Scene): Promise<ChangeCall> {
  const [id, userId] = [newId(), newId()];
  await dashboard.database.prisma.user.create({ data: { id, appId: tenant.appId, userId } });
  return { path: { userSid: id }, body: { confirmUserId: userId } };
}

export function createSuppression(email: string) {
  return { channel: 'email', address: email, detail: 'asked for it by phone' };
}

export async function suppression({ call, tenant }: Scene): Promise<ChangeCall> {
  const at = `apps/${tenant.appId}/suppressions`;
  const { body } = await call('post', at, createSuppression(address()));
  return { path: { id: body.id } };
}

export function slackBot() {
  const credentials = { access_token: 'xoxb-simulated-token-7Qd2' };
  return { name: newId(), channel: 'slack', provider: 'slack', settings: {}, credentials };
}

export async function integration({ call, tenant }: Scene): Promise<Record<string, string>> {
  const { body } = await call('post', `apps/${tenant.appId}/integrations`, slackBot());
  return { id: body.id };
}

export async function renamedIntegration({ call, tenant }: Scene): Promise<ChangeCall> {
  const { body } = await call('post', `apps/${tenant.appId}/integrations`, slackBot());
  return { path: { id: body.id }, body: { updatedAt: body.updatedAt, name: newId() } };
}

/** The simulator accepts its token. */
export async function refusedIntegration(scene: Scene): Promise<ChangeCall> {
  const path = await integration(scene);
  await scene.dashboard.database.lookUps.query(
    `UPDATE integration SET state = 'needs_attention' WHERE id = $1`,
    [path['id']],
  );
  return { path };
}

export async function pausedIntegration(scene: Scene): Promise<ChangeCall> {
  const path = await integration(scene);
  await scene.call('post', `apps/${scene.tenant.appId}/integrations/${path['id']}/pause`);
  return { path };
}

export async function liveEvent({ dashboard, tenant }: Scene): Promise<Record<string, string>> {
  const { eventId, versionId } = await dashboard.factories.createEvent(tenant, definition.channels);
  return { eventId, versionId };
}

export async function namedEvent({ dashboard, tenant }: Scene): Promise<ChangeCall> {
  const { eventId, name } = await dashboard.factories.createEvent(tenant, definition.channels);
  return { path: { eventId }, body: { confirmName: name } };
}

/** A live event with a draft of the first revision. */
export async function createDraft(scene: Scene): Promise<Record<string, string>> {
  const path = await liveEvent(scene);
  const at = `apps/${scene.tenant.appId}/events/${path['eventId']}/draft`;
  await scene.call('put', at, { basedOn: 0, definition });
  return path;
}

const testBody = { definition, user: { email: 'ana@example.com' }, data: {} };
export const testSend = { ...testBody, delivery: 'sandbox' };

export async function tryDraft(scene: Scene): Promise<ChangeCall> {
  return { path: await liveEvent(scene), body: testBody };
}

export async function message(scene: Scene, state: string): Promise<Record<string, string>> {
  const { call, tenant, dashboard } = scene;
  const { eventId } = await liveEvent(scene);
  const tested = await call('post', `apps/${tenant.appId}/events/${eventId}/test`, testSend);
  const { rows } = await dashboard.database.lookUps.query<{ id: string }>(
    'UPDATE message SET state = $2 WHERE request_id = $1 RETURNING id',
    [tested.body.requestId, state],
  );
  return { messageId: rows[0]?.id ?? '' };
}

export async function capture(scene: Scene): Promise<ChangeCall> {
  const { messageId = '' } = await message(scene, 'sent');
  const { database } = scene.dashboard;
  const captureId = newId();
  await database.prisma.capture.create({
    data: {
      id: captureId,
      appId: scene.tenant.appId,
      messageId,
      attempt: 1,
      channel: 'email',
      provider: 'smtp',
      target: 'ana@example.com',
      content: {},
      request: {},
      outcome: 'accepted',
    },
  });
  return { path: { captureId } };
}

/** The id of an older version to roll back to. */
export async function publishedTwice(scene: Scene): Promise<ChangeCall> {
  const path = await createDraft(scene);
  const at = `apps/${scene.tenant.appId}/events/${path['eventId']}/publish`;
  const { body } = await scene.call('post', at, { basedOn: 1 });
  return { path, body: { basedOnLive: body.live.id } };
}

export async function savedFilter({ call, tenant }: Scene): Promise<Record<string, string>> {
  const at = `apps/${tenant.appId}/filters`;
  const name = newId();
  const { body } = await call('post', at, { name, filters: { state: 'sent' } });
  return { id: body.filters.find((filter: { name: string }) => filter.name === name).id };
}

export const newCategory = () => ({
  slug: `category-${newId()}`,
  texts: { en: { name: 'News', description: '' } },
});

export async function category({ call, tenant }: Scene): Promise<Record<string, string>> {
  const body = newCategory();
  await call('post', `apps/${tenant.appId}/categories`, body);
  return { slug: body.slug };
}

/** A rule that watches an integration and is sent by it. */
export async function newAlertRule(scene: Scene): Promise<object> {
  const { id: integrationId } = await integration(scene);
  const sendBy = { integrationId, to: ['C0123456789'] };
  return { kind: 'integration_failing', integrationId, params: {}, sendBy };
}

/** A rule, and a change of it. */
export async function alertRuleForm(scene: Scene) {
  const { call, tenant } = scene;
  const form = await newAlertRule(scene);
  const { body } = await call('post', `apps/${tenant.appId}/alerts`, form);
  const { id, updatedAt } = body.rules.at(-1);
  return { path: { id: String(id) }, body: { ...form, updatedAt } };
}

const endpointForm = {
  url: 'https://receiver.example/hooks',
  types: ['message.failed'],
  description: '',
};

export function newWebhookEndpoint(): ChangeCall {
  return { body: endpointForm };
}

export async function webhookEndpoint({ call, tenant }: Scene): Promise<Record<string, string>> {
  const { body } = await call('post', `apps/${tenant.appId}/webhooks`, endpointForm);
  return { endpointId: body.endpoint.id };
}

/** With the ID of its delivery. */
export async function failedWebhook(scene: Scene): Promise<Record<string, string>> {
  const { endpointId = '' } = await webhookEndpoint(scene);
  const at = `apps/${scene.tenant.appId}/webhooks/${endpointId}/example`;
  const { id } = (await scene.call('post', at, { type: 'message.failed' })).body;
  const data = { outcome: 'failed', nextAt: null };
  await scene.dashboard.database.prisma.webhookDelivery.update({ where: { id }, data });
  return { endpointId, deliveryId: id };
}

export async function failedMessage(scene: Scene): Promise<ChangeCall> {
  await message(scene, 'failed');
  return { body: { filters: { state: 'failed' }, confirmed: 10, perSecond: 10 } };
}

export async function startedResend(scene: Scene): Promise<ChangeCall> {
  const { body } = await failedMessage(scene);
  const started = await scene.call('post', `apps/${scene.tenant.appId}/resends`, body);
  return { path: { resendId: started.body.id } };
}
