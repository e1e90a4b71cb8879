import { alertNoticeKinds, alertOutcomes, operatorInput } from '@belfry/shared';
import { type Static, Type } from '@sinclair/typebox';
import type { RouteSpec } from './route-spec';
import { createChoice, nullable, time } from './schemas';

const { alertRecipients, alertKindChoice: kind, alertParams: params } = operatorInput;

const id = Type.String({ maxLength: 36 });

/** An integration of e-mail or Slack, and e-mail addresses or one Slack channel. */
const target = Type.Object({
  integrationId: id,
  to: alertRecipients,
});
export type AlertTarget = Static<typeof target>;

/** Omitted or null `channel` and `integrationId` watch all of the app; a kind watches one of both. */
const newRule = Type.Object({
  kind,
  channel: Type.Optional(nullable(Type.String({ maxLength: 64 }))),
  integrationId: Type.Optional(nullable(id)),
  params,
  sendBy: Type.Optional(nullable(target)),
  fallback: Type.Optional(nullable(target)),
});
export type AlertRuleBody = Static<typeof newRule>;

const rule = Type.Object({
  id: Type.String(),
  kind,
  /** The rule as a phrase. */
  phrase: Type.String(),
  channel: nullable(Type.String()),
  integrationId: nullable(Type.String()),
  params,
  sendBy: nullable(target),
  fallback: nullable(target),
  isEnabled: Type.Boolean(),
  firingSince: nullable(time),
  /** The last facts while it fires. */
  sentence: nullable(Type.String()),
  updatedAt: time,
});
export type AlertRuleAnswer = Static<typeof rule>;

const ruleList = Type.Object({ rules: Type.Array(rule), max: Type.Integer() });
export type AlertRuleListAnswer = Static<typeof ruleList>;

const notification = Type.Object({
  id: Type.String(),
  kind: createChoice(Object.keys(alertNoticeKinds) as (keyof typeof alertNoticeKinds)[]),
  outcome: createChoice(alertOutcomes),
  tries: Type.Integer(),
  /** Name of the integration of the last try. */
  sentBy: nullable(Type.String()),
  /** Why the last try failed, or why there was none. */
  detail: nullable(Type.String()),
  createdAt: time,
  endedAt: nullable(time),
});
export type AlertNotificationAnswer = Static<typeof notification>;

const incident = Type.Object({
  id: Type.String(),
  ruleId: Type.String(),
  phrase: Type.String(),
  firedAt: time,
  resolvedAt: nullable(time),
  sentence: Type.String(),
  /** It fired again soon after earlier ones, so nobody was notified when it opened. */
  isQuiet: Type.Boolean(),
  /** Query of the log that shows the messages. */
  logQuery: Type.String(),
  notifications: Type.Array(notification),
});
export type AlertIncidentAnswer = Static<typeof incident>;

const testResult = Type.Object({
  isSent: Type.Boolean(),
  /** A sentence with the answer of the provider. */
  detail: Type.String(),
});
export type AlertTestAnswer = Static<typeof testResult>;

export const alertRoutes = {
  /** In the order of their creation. */
  'GET /api/apps/:appId/alerts': { access: 'viewer', answer: ruleList },
  /** The newest 50 incidents. */
  'GET /api/apps/:appId/alerts/history': {
    access: 'viewer',
    answer: Type.Object({ incidents: Type.Array(incident) }),
  },
  /** 409 `wrong_state` if there are too many. */
  'POST /api/apps/:appId/alerts': {
    access: 'editor',
    body: newRule,
    answer: ruleList,
    audit: 'alert.created',
  },
  /**
   * Ends an open incident without a notification. `updatedAt` comes from the answer that the form was filled from; 409
   * `draft_changed` if the rule was changed since then.
   */
  'PUT /api/apps/:appId/alerts/:id': {
    access: 'editor',
    body: Type.Object({ ...newRule.properties, updatedAt: Type.Number() }),
    answer: ruleList,
    audit: 'alert.changed',
  },
  'POST /api/apps/:appId/alerts/:id/enable': {
    access: 'editor',
    answer: ruleList,
    audit: 'alert.enabled',
  },
  /** Ends an open incident without a notification. */
  'POST /api/apps/:appId/alerts/:id/disable': {
    access: 'editor',
    answer: ruleList,
    audit: 'alert.disabled',
  },
  /** Sends a test by the integration of the rule, whatever its health. 409 `wrong_state` if the rule has none. */
  'POST /api/apps/:appId/alerts/:id/test': {
    access: 'editor',
    answer: testResult,
    audit: 'alert.tested',
  },
  /** Also removes its history. */
  'DELETE /api/apps/:appId/alerts/:id': {
    access: 'editor',
    answer: ruleList,
    audit: 'alert.removed',
  },
} as const satisfies Record<string, RouteSpec>;
