import { newId } from '@belfry/runtime';
import {
  address,
  anotherApp,
  type ChangeCall,
  capture,
  createDraft,
  createSuppression,
  definition,
  failedMessage,
  integration,
  invitation,
  invite,
  joinByInvitation,
  liveEvent,
  message,
  namedEvent,
  ownKey,
  pausedIntegration,
  person,
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
} from './change-calls.fixture';
import { password } from './stored-dashboard.fixture';

export type RouteChange =
  /** Expected audit actions, newest first. */
  | { audit: string | string[]; make(scene: Scene): Promise<ChangeCall> | ChangeCall }
  /** Why the audit does not record it. */
  | { unaudited: string; make?(scene: Scene): Promise<ChangeCall> | ChangeCall };

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
