import { newId } from '@belfry/runtime';
import {
  address,
  alertRuleForm,
  anotherApp,
  type ChangeCall,
  capture,
  category,
  codeOfNewTotp,
  confirmedTotp,
  createDraft,
  createSuppression,
  definition,
  failedMessage,
  failedWebhook,
  inboxSecret,
  integration,
  invitation,
  invite,
  joinByInvitation,
  liveEvent,
  message,
  namedEvent,
  newAlertRule,
  newCategory,
  newWebhookEndpoint,
  noInboxSecret,
  ownKey,
  pausedIntegration,
  person,
  personWithTotp,
  publishedTwice,
  refusedIntegration,
  renamedIntegration,
  type Scene,
  savedFilter,
  secondSession,
  slackBot,
  startedResend,
  storedUser,
  suppression,
  testSend,
  tryDraft,
  webhookEndpoint,
} from './change-calls.fixture';
import { password } from './stored-dashboard.fixture';

/** Sets up a change of one route and says how to call it. */
export type MakeChange = (scene: Scene) => Promise<ChangeCall> | ChangeCall;

const newSuppressionFile = () => ({ csv: `channel,address\r\nemail,${address()}\r\n` });

const events = '/api/apps/:appId/events';
const integrations = '/api/apps/:appId/integrations';
const webhooks = '/api/apps/:appId/webhooks';

/** Every route except GETs. Without an entry for a new route, `audited-changes.int.test.ts` fails. */
const createAlertRulePath = async (scene: Scene) => ({ path: (await alertRuleForm(scene)).path });

export const changes: Record<string, MakeChange> = {
  'POST /api/session': ({ email }) => ({ body: { email, password } }),
  'DELETE /api/session': () => ({}),
  'POST /api/set-up/look': async (scene) => ({ body: { token: (await invite(scene)).token } }),
  'POST /api/set-up': joinByInvitation,
  'DELETE /api/sessions/:id': secondSession,
  'PUT /api/password': () => ({ body: { password, newPassword: password } }),
  'POST /api/totp': () => ({ body: { password } }),
  'POST /api/totp/confirm': codeOfNewTotp,
  'POST /api/totp/recovery-codes': confirmedTotp,
  'DELETE /api/totp': confirmedTotp,
  'POST /api/keys': () => ({ body: { password } }),
  'PATCH /api/keys/:id': async (scene) => ({ ...(await ownKey(scene)), body: { name: 'Shop' } }),
  'POST /api/keys/:id/show': ownKey,
  'POST /api/keys/:id/end': ownKey,
  'POST /api/apps': () => ({ body: { name: 'Another' } }),
  'PATCH /api/apps/:appId': () => ({ body: { name: 'Test app', delivery: 'sandbox' } }),
  'DELETE /api/apps/:appId': anotherApp,
  'POST /api/apps/:appId/inbox-secrets': noInboxSecret,
  'POST /api/apps/:appId/inbox-secrets/:id/show': inboxSecret,
  'POST /api/apps/:appId/inbox-secrets/:id/revoke': inboxSecret,
  'POST /api/people/invitations': () => ({ body: { email: address(), role: 'viewer', password } }),
  'DELETE /api/people/invitations/:id': invitation,
  'PATCH /api/people/:id': async (scene) => ({
    path: await person(scene),
    body: { role: 'editor', password },
  }),
  'DELETE /api/people/:id': async (scene) => ({ path: await person(scene), body: { password } }),
  'DELETE /api/people/:id/totp': async (scene) => ({
    path: await personWithTotp(scene),
    body: { password },
  }),
  'PUT /api/apps/:appId/users/:userSid/preferences': async (scene) => ({
    path: (await storedUser(scene)).path ?? {},
    body: { changes: [{ channel: 'sms', category: null, isOff: true }] },
  }),
  'DELETE /api/apps/:appId/users/:userSid': storedUser,
  'POST /api/apps/:appId/suppressions': () => ({ body: createSuppression(address()) }),
  'DELETE /api/apps/:appId/suppressions/:id': suppression,
  'POST /api/apps/:appId/suppressions/import/check': () => ({ body: newSuppressionFile() }),
  'POST /api/apps/:appId/suppressions/import': () => ({ body: newSuppressionFile() }),
  [`POST ${integrations}`]: () => ({ body: slackBot() }),
  [`POST ${integrations}/test`]: () => ({ body: slackBot() }),
  [`PUT ${integrations}/:id`]: renamedIntegration,
  [`DELETE ${integrations}/:id`]: async (scene) => ({
    path: await integration(scene),
    body: { confirm: true },
  }),
  [`POST ${integrations}/:id/test`]: refusedIntegration,
  [`POST ${integrations}/:id/slack-install`]: async (scene) => ({ path: await integration(scene) }),
  [`POST ${integrations}/:id/pause`]: async (scene) => ({ path: await integration(scene) }),
  [`POST ${integrations}/:id/resume`]: pausedIntegration,
  [`POST ${webhooks}`]: newWebhookEndpoint,
  [`PATCH ${webhooks}/:endpointId`]: async (scene) => ({
    path: await webhookEndpoint(scene),
    body: { description: 'Orders' },
  }),
  [`DELETE ${webhooks}/:endpointId`]: async (scene) => ({ path: await webhookEndpoint(scene) }),
  [`POST ${webhooks}/:endpointId/rotate`]: async (scene) => ({
    path: await webhookEndpoint(scene),
  }),
  [`POST ${webhooks}/:endpointId/example`]: async (scene) => ({
    path: await webhookEndpoint(scene),
    body: { type: 'message.sent' },
  }),
  [`POST ${webhooks}/:endpointId/deliveries/:deliveryId/resend`]: async (scene) => ({
    path: await failedWebhook(scene),
  }),
  [`POST ${webhooks}/:endpointId/resend-failed`]: async (scene) => ({
    path: await failedWebhook(scene),
    body: { since: 0 },
  }),
  [`POST ${events}`]: () => ({ body: { name: newId() } }),
  [`PATCH ${events}/:eventId`]: async (scene) => ({
    path: await liveEvent(scene),
    body: { name: newId(), confirm: true },
  }),
  [`DELETE ${events}/:eventId`]: namedEvent,
  [`PUT ${events}/:eventId/draft`]: async (scene) => ({
    path: await liveEvent(scene),
    body: { basedOn: 0, definition },
  }),
  [`POST ${events}/:eventId/check`]: tryDraft,
  [`POST ${events}/:eventId/publish`]: async (scene) => ({
    path: await createDraft(scene),
    body: { basedOn: 1 },
  }),
  [`POST ${events}/:eventId/discard`]: async (scene) => ({
    path: await createDraft(scene),
    body: { basedOn: 1 },
  }),
  [`POST ${events}/:eventId/versions/:versionId/restore`]: async (scene) => ({
    path: await liveEvent(scene),
    body: { basedOn: 0 },
  }),
  [`POST ${events}/:eventId/versions/:versionId/roll-back`]: publishedTwice,
  [`POST ${events}/:eventId/variables`]: tryDraft,
  'POST /api/apps/:appId/alerts': async (scene) => ({ body: await newAlertRule(scene) }),
  'PUT /api/apps/:appId/alerts/:id': alertRuleForm,
  'POST /api/apps/:appId/alerts/:id/enable': createAlertRulePath,
  'POST /api/apps/:appId/alerts/:id/disable': createAlertRulePath,
  'POST /api/apps/:appId/alerts/:id/test': createAlertRulePath,
  'DELETE /api/apps/:appId/alerts/:id': createAlertRulePath,
  'POST /api/apps/:appId/filters': () => ({
    body: { name: 'Failed', filters: { state: 'failed' } },
  }),
  'PATCH /api/apps/:appId/filters/:id': async (scene) => ({
    path: await savedFilter(scene),
    body: { name: 'Renamed' },
  }),
  'DELETE /api/apps/:appId/filters/:id': async (scene) => ({ path: await savedFilter(scene) }),
  'POST /api/apps/:appId/categories': async () => ({ body: newCategory() }),
  'PATCH /api/apps/:appId/categories/:slug': async (scene) => ({
    path: await category(scene),
    body: { position: 3 },
  }),
  'DELETE /api/apps/:appId/categories/:slug': async (scene) => ({ path: await category(scene) }),
  [`POST ${events}/:eventId/preview`]: tryDraft,
  [`POST ${events}/:eventId/test`]: async (scene) => ({
    path: await liveEvent(scene),
    body: testSend,
  }),
  [`POST ${events}/:eventId/dry-run`]: async (scene) => ({
    path: await liveEvent(scene),
    body: testSend,
  }),
  [`POST ${events}/:eventId/call-example`]: tryDraft,
  'POST /api/frames': () => ({ body: { html: '<p>Hello</p>' } }),
  'POST /api/apps/:appId/messages/:messageId/resend': async (scene) => ({
    path: await message(scene, 'failed'),
    body: {},
  }),
  'POST /api/apps/:appId/messages/:messageId/cancel': async (scene) => ({
    path: await message(scene, 'queued'),
  }),
  'DELETE /api/apps/:appId/captures': async (scene) => {
    await capture(scene);
    return { body: { confirm: true } };
  },
  'DELETE /api/apps/:appId/captures/:captureId': capture,
  'POST /api/apps/:appId/resends': failedMessage,
  'POST /api/apps/:appId/resends/:resendId/cancel': startedResend,
  'POST /api/apps/:appId/pause': () => ({}),
  'POST /api/apps/:appId/resume': async ({ call, tenant }) => {
    await call('post', `apps/${tenant.appId}/pause`);
    return {};
  },
  'POST /api/apps/:appId/channels/:channel/pause': () => ({ path: { channel: 'sms' } }),
  'POST /api/apps/:appId/channels/:channel/resume': async ({ call, tenant }) => {
    await call('post', `apps/${tenant.appId}/channels/email/pause`);
    return { path: { channel: 'email' } };
  },
};
