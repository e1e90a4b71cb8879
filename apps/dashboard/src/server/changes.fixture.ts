import { newId } from '@belfry/runtime';
import { channelVersion } from '@belfry/testing';
import { type Neighbour, password, type StoredDashboard } from './stored-dashboard.fixture';

/** Setting of a change: an account with an owner and an app. */
export type Scene = Neighbour & { dashboard: StoredDashboard };

/** How to call a route so that it changes something. */
export type ChangeCall = {
  path?: Record<string, string>;
  body?: object;
  /** E-mail address of the operator, if not the owner. */
  by?: string;
};

export type RouteChange =
  /** Expected audit actions, newest first. */
  | { audit: string | string[]; make(scene: Scene): Promise<ChangeCall> | ChangeCall }
  /** Why the audit does not record it. */
  | { unaudited: string; make?(scene: Scene): Promise<ChangeCall> | ChangeCall };

const definition = {
  defaultLocale: 'en',
  missing: 'empty',
  isSensitive: false,
  channels: { email: channelVersion({ subject: 'Hello', html: '<p>Hello</p>' }) },
};

const events = '/api/apps/:appId/events';
const integrations = '/api/apps/:appId/integrations';

/**
 * Every route except GETs, with the audit entry it writes. Add each new route here, or `audited-changes.int.test.ts`
 * fails.
 */
export const changes: Record<string, RouteChange> = {
  'POST /api/session': {
    unaudited: 'signing in changes nothing for other operators',
    make: ({ email }) => ({ body: { email, password } }),
  },
  'DELETE /api/session': { unaudited: 'signing out changes nothing for other operators' },
  'POST /api/set-up/look': {
    unaudited: 'checks a link',
    make: async (scene) => ({ body: { token: (await invite(scene)).token } }),
  },
  'POST /api/set-up': { audit: 'operator.joined', make: joinByInvitation },
  'DELETE /api/sessions/:id': { audit: 'session.ended', make: secondSession },
  'PUT /api/password': {
    audit: 'operator.password_changed',
    make: () => ({ body: { password, newPassword: password } }),
  },
  'POST /api/keys': { audit: 'key.created', make: () => ({ body: { password } }) },
  'POST /api/keys/:id/show': { audit: 'key.shown', make: ownKey },
  'POST /api/keys/:id/end': { audit: 'key.ended', make: ownKey },
  'POST /api/apps': { audit: 'app.created', make: () => ({ body: { name: 'Another' } }) },
  'PATCH /api/apps/:appId': {
    audit: 'app.changed',
    make: () => ({ body: { name: 'Test app', delivery: 'sandbox' } }),
  },
  'DELETE /api/apps/:appId': { audit: 'app.removed', make: anotherApp },
  'POST /api/people/invitations': {
    audit: 'invitation.created',
    make: () => ({ body: { email: address(), role: 'viewer', password } }),
  },
  'DELETE /api/people/invitations/:id': { audit: 'invitation.revoked', make: invitation },
  'PATCH /api/people/:id': {
    audit: 'operator.role_changed',
    make: async (scene) => ({ path: await person(scene), body: { role: 'editor', password } }),
  },
  'DELETE /api/people/:id': {
    audit: 'operator.removed',
    make: async (scene) => ({ path: await person(scene), body: { password } }),
  },
  'DELETE /api/apps/:appId/users/:userSid': { audit: 'user.erased', make: storedUser },
  'POST /api/apps/:appId/suppressions': {
    audit: 'suppression.added',
    make: () => ({ body: createSuppression(address()) }),
  },
  'DELETE /api/apps/:appId/suppressions/:id': { audit: 'suppression.removed', make: suppression },
  [`POST ${integrations}`]: {
    audit: 'integration.created',
    make: () => ({ body: slackBot() }),
  },
  [`POST ${integrations}/test`]: {
    audit: 'integration.tested',
    make: () => ({ body: slackBot() }),
  },
  [`PUT ${integrations}/:id`]: { audit: 'integration.changed', make: renamedIntegration },
  [`DELETE ${integrations}/:id`]: {
    audit: 'integration.removed',
    make: async (scene) => ({ path: await integration(scene), body: { confirm: true } }),
  },
  [`POST ${integrations}/:id/test`]: {
    audit: ['integration.activated', 'integration.tested'],
    make: refusedIntegration,
  },
  [`POST ${integrations}/:id/slack-install`]: {
    unaudited: 'redirects to Slack; the callback records integration.installed',
    make: async (scene) => ({ path: await integration(scene) }),
  },
  [`POST ${integrations}/:id/pause`]: {
    audit: 'integration.paused',
    make: async (scene) => ({ path: await integration(scene) }),
  },
  [`POST ${integrations}/:id/resume`]: { audit: 'integration.resumed', make: pausedIntegration },
  [`POST ${events}`]: { audit: 'event.created', make: () => ({ body: { name: newId() } }) },
  [`PATCH ${events}/:eventId`]: {
    audit: 'event.renamed',
    make: async (scene) => ({
      path: await liveEvent(scene),
      body: { name: newId(), confirm: true },
    }),
  },
  [`DELETE ${events}/:eventId`]: { audit: 'event.removed', make: namedEvent },
  [`PUT ${events}/:eventId/draft`]: {
    audit: 'event.draft_saved',
    make: async (scene) => ({ path: await liveEvent(scene), body: { basedOn: 0, definition } }),
  },
  [`POST ${events}/:eventId/check`]: { unaudited: 'validates a draft', make: tryDraft },
  [`POST ${events}/:eventId/publish`]: {
    audit: 'event.published',
    make: async (scene) => ({ path: await createDraft(scene), body: { basedOn: 1 } }),
  },
  [`POST ${events}/:eventId/discard`]: {
    audit: 'event.draft_discarded',
    make: async (scene) => ({ path: await createDraft(scene), body: { basedOn: 1 } }),
  },
  [`POST ${events}/:eventId/versions/:versionId/restore`]: {
    audit: 'event.version_restored',
    make: async (scene) => ({ path: await liveEvent(scene), body: { basedOn: 0 } }),
  },
  [`POST ${events}/:eventId/versions/:versionId/roll-back`]: {
    audit: 'event.rolled_back',
    make: publishedTwice,
  },
  [`POST ${events}/:eventId/variables`]: {
    unaudited: 'compares a draft with recent requests',
    make: tryDraft,
  },
  'POST /api/apps/:appId/filters': {
    audit: 'filter.saved',
    make: () => ({ body: { name: 'Failed', filters: { state: 'failed' } } }),
  },
  'PATCH /api/apps/:appId/filters/:id': {
    audit: 'filter.changed',
    make: async (scene) => ({ path: await savedFilter(scene), body: { name: 'Renamed' } }),
  },
  'DELETE /api/apps/:appId/filters/:id': {
    audit: 'filter.removed',
    make: async (scene) => ({ path: await savedFilter(scene) }),
  },
  [`POST ${events}/:eventId/preview`]: { unaudited: 'shows a draft', make: tryDraft },
  [`POST ${events}/:eventId/test`]: {
    audit: 'event.tested',
    make: async (scene) => ({ path: await liveEvent(scene), body: testSend }),
  },
  [`POST ${events}/:eventId/call-example`]: {
    unaudited: 'renders an example call',
    make: tryDraft,
  },
  'POST /api/frames': {
    unaudited: 'shows template HTML',
    make: () => ({ body: { html: '<p>Hello</p>' } }),
  },
  'POST /api/apps/:appId/messages/:messageId/resend': {
    audit: 'message.resent',
    make: async (scene) => ({ path: await message(scene, 'failed'), body: {} }),
  },
  'POST /api/apps/:appId/messages/:messageId/cancel': {
    audit: 'message.cancelled',
    make: async (scene) => ({ path: await message(scene, 'queued') }),
  },
  'DELETE /api/apps/:appId/captures': {
    audit: 'captures.removed',
    make: async (scene) => {
      await capture(scene);
      return { body: { confirm: true } };
    },
  },
  'DELETE /api/apps/:appId/captures/:captureId': { audit: 'capture.removed', make: capture },
  'POST /api/apps/:appId/resends': { audit: 'resend.started', make: failedMessage },
  'POST /api/apps/:appId/resends/:resendId/cancel': {
    audit: 'resend.cancelled',
    make: startedResend,
  },
  'POST /api/apps/:appId/pause': { audit: 'sending.paused', make: () => ({}) },
  'POST /api/apps/:appId/resume': {
    audit: 'sending.resumed',
    make: async ({ call, tenant }) => {
      await call('post', `apps/${tenant.appId}/pause`);
      return {};
    },
  },
  'POST /api/apps/:appId/channels/:channel/pause': {
    audit: 'channel.paused',
    make: () => ({ path: { channel: 'sms' } }),
  },
  'POST /api/apps/:appId/channels/:channel/resume': {
    audit: 'channel.resumed',
    make: async ({ call, tenant }) => {
      await call('post', `apps/${tenant.appId}/channels/email/pause`);
      return { path: { channel: 'email' } };
    },
  },
};

function address(): string {
  return `${newId()}@example.com`;
}

async function invite({ call }: Scene): Promise<{ email: string; token: string }> {
  const email = address();
  const { body } = await call('post', 'people/invitations', { email, role: 'editor', password });
  return { email, token: body.token };
}

async function joinByInvitation(scene: Scene): Promise<ChangeCall> {
  const { email, token } = await invite(scene);
  return { body: { token, email, password }, by: email };
}

async function secondSession({ call, signInAgain }: Scene): Promise<ChangeCall> {
  await signInAgain();
  const { body } = await call('get', 'sessions');
  const otherSession = body.sessions.find((one: { isThisOne: boolean }) => !one.isThisOne);
  return { path: { id: otherSession.id } };
}

/** Creates a second key first, because revoking the last one needs a confirmation. */
async function ownKey({ tenant }: Scene): Promise<ChangeCall> {
  return { path: { id: tenant.apiKeyId }, body: { password, confirm: true } };
}

async function anotherApp({ call }: Scene): Promise<ChangeCall> {
  const { body } = await call('post', 'apps', { name: 'To be removed' });
  return { path: { appId: body.id }, body: { confirmName: body.name } };
}

async function invitation({ call }: Scene): Promise<ChangeCall> {
  const body = { email: address(), role: 'viewer', password };
  await call('post', 'people/invitations', body);
  const { invitations } = (await call('get', 'people')).body;
  return { path: { id: invitations[0].id } };
}

async function person({ tenant, dashboard }: Scene): Promise<Record<string, string>> {
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

async function storedUser({ tenant, dashboard }: Scene): Promise<ChangeCall> {
  const [id, userId] = [newId(), newId()];
  await dashboard.database.prisma.user.create({ data: { id, appId: tenant.appId, userId } });
  return { path: { userSid: id }, body: { confirmUserId: userId } };
}

function createSuppression(email: string) {
  return { channel: 'email', address: email, detail: 'asked for it by phone' };
}

async function suppression({ call, tenant }: Scene): Promise<ChangeCall> {
  const at = `apps/${tenant.appId}/suppressions`;
  const { body } = await call('post', at, createSuppression(address()));
  return { path: { id: body.id } };
}

function slackBot() {
  const credentials = { access_token: 'xoxb-simulated-token-7Qd2' };
  return { name: newId(), channel: 'slack', provider: 'slack', settings: {}, credentials };
}

async function integration({ call, tenant }: Scene): Promise<Record<string, string>> {
  const { body } = await call('post', `apps/${tenant.appId}/integrations`, slackBot());
  return { id: body.id };
}

async function renamedIntegration({ call, tenant }: Scene): Promise<ChangeCall> {
  const { body } = await call('post', `apps/${tenant.appId}/integrations`, slackBot());
  return { path: { id: body.id }, body: { updatedAt: body.updatedAt, name: newId() } };
}

/** The simulator accepts its token. */
async function refusedIntegration(scene: Scene): Promise<ChangeCall> {
  const path = await integration(scene);
  await scene.dashboard.database.lookUps.query(
    `UPDATE integration SET state = 'needs_attention' WHERE id = $1`,
    [path['id']],
  );
  return { path };
}

async function pausedIntegration(scene: Scene): Promise<ChangeCall> {
  const path = await integration(scene);
  await scene.call('post', `apps/${scene.tenant.appId}/integrations/${path['id']}/pause`);
  return { path };
}

async function liveEvent({ dashboard, tenant }: Scene): Promise<Record<string, string>> {
  const { eventId, versionId } = await dashboard.factories.createEvent(tenant, definition.channels);
  return { eventId, versionId };
}

async function namedEvent({ dashboard, tenant }: Scene): Promise<ChangeCall> {
  const { eventId, name } = await dashboard.factories.createEvent(tenant, definition.channels);
  return { path: { eventId }, body: { confirmName: name } };
}

/** A live event with a draft of the first revision. */
async function createDraft(scene: Scene): Promise<Record<string, string>> {
  const path = await liveEvent(scene);
  const at = `apps/${scene.tenant.appId}/events/${path['eventId']}/draft`;
  await scene.call('put', at, { basedOn: 0, definition });
  return path;
}

const testBody = { definition, user: { email: 'ana@example.com' }, data: {} };
const testSend = { ...testBody, delivery: 'sandbox' };

async function tryDraft(scene: Scene): Promise<ChangeCall> {
  return { path: await liveEvent(scene), body: testBody };
}

async function message(scene: Scene, state: string): Promise<Record<string, string>> {
  const { call, tenant, dashboard } = scene;
  const { eventId } = await liveEvent(scene);
  const tested = await call('post', `apps/${tenant.appId}/events/${eventId}/test`, testSend);
  const { rows } = await dashboard.database.lookUps.query<{ id: string }>(
    'UPDATE message SET state = $2 WHERE request_id = $1 RETURNING id',
    [tested.body.requestId, state],
  );
  return { messageId: rows[0]?.id ?? '' };
}

async function capture(scene: Scene): Promise<ChangeCall> {
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
async function publishedTwice(scene: Scene): Promise<ChangeCall> {
  const path = await createDraft(scene);
  const at = `apps/${scene.tenant.appId}/events/${path['eventId']}/publish`;
  const { body } = await scene.call('post', at, { basedOn: 1 });
  return { path, body: { basedOnLive: body.live.id } };
}

async function savedFilter({ call, tenant }: Scene): Promise<Record<string, string>> {
  const at = `apps/${tenant.appId}/filters`;
  const name = newId();
  const { body } = await call('post', at, { name, filters: { state: 'sent' } });
  return { id: body.filters.find((filter: { name: string }) => filter.name === name).id };
}

async function failedMessage(scene: Scene): Promise<ChangeCall> {
  await message(scene, 'failed');
  return { body: { filters: { state: 'failed' }, confirmed: 10, perSecond: 10 } };
}

async function startedResend(scene: Scene): Promise<ChangeCall> {
  const { body } = await failedMessage(scene);
  const started = await scene.call('post', `apps/${scene.tenant.appId}/resends`, body);
  return { path: { resendId: started.body.id } };
}
