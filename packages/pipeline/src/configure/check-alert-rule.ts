import { channelNames } from '@belfry/channels';
import type { AlertRuleFields } from '@belfry/database';
import {
  type AlertKind,
  type AlertParams,
  type FieldProblem,
  findAlertParamProblems,
  getAlertKind,
} from '@belfry/shared';
import { findAlertRecipients } from '../alerts/send-alert';

type AlertTarget = { integrationId: string; to: string[] };

/** A rule as an operator enters it. An absent `channel` and `integrationId` watch all of the app. */
export type EnteredAlertRule = {
  kind: AlertKind;
  channel?: string | null | undefined;
  integrationId?: string | null | undefined;
  params: AlertParams;
  sendBy?: AlertTarget | null | undefined;
  fallback?: AlertTarget | null | undefined;
};

/** The fields of a valid rule, or what is wrong. `channels` has the channel of each integration of the app, by its ID. */
export function readAlertRule(
  channels: ReadonlyMap<string, string>,
  entered: EnteredAlertRule,
): { rule: AlertRuleFields } | { problems: FieldProblem[] } {
  const { kind, params, sendBy, fallback } = entered;
  const watched = readWatched(entered);
  const problems = [
    ...findAlertParamProblems(kind, params),
    ...findWatchedProblems(channels, watched),
    ...findTargetProblems(channels, 'sendBy', sendBy),
    ...findTargetProblems(channels, 'fallback', fallback),
  ];
  if (fallback && fallback.integrationId === sendBy?.integrationId) {
    problems.push({ path: 'fallback.integrationId', problem: 'must be another integration' });
  }
  if (problems.length > 0) return { problems };
  const [first, second] = [toStoredTarget(sendBy), toStoredTarget(fallback)];
  return {
    rule: {
      ...{ kind, params, ...watched, sendBy: first.by, sendTo: first.to },
      ...{ fallbackBy: second.by, fallbackTo: second.to },
    },
  };
}

type Watched = Pick<AlertRuleFields, 'channel' | 'integrationId'>;

/** A kind watches a channel or an integration; the other one is ignored. */
function readWatched({ kind, channel = null, integrationId = null }: EnteredAlertRule): Watched {
  return getAlertKind(kind).scope === 'channel'
    ? { channel, integrationId: null }
    : { channel: null, integrationId };
}

function findWatchedProblems(
  channels: ReadonlyMap<string, string>,
  { channel, integrationId }: Watched,
): FieldProblem[] {
  if (channel !== null && !channelNames.some((name) => name === channel)) {
    return [{ path: 'channel', problem: 'is not a channel' }];
  }
  if (integrationId !== null && !channels.has(integrationId)) {
    return [{ path: 'integrationId', problem: 'is not an integration of this app' }];
  }
  return [];
}

function toStoredTarget(target: AlertTarget | null | undefined): {
  by: string | null;
  to: string[];
} {
  return target ? { by: target.integrationId, to: target.to } : { by: null, to: [] };
}

function findTargetProblems(
  channels: ReadonlyMap<string, string>,
  path: 'sendBy' | 'fallback',
  target: AlertTarget | null | undefined,
): FieldProblem[] {
  if (!target) return [];
  const channel = channels.get(target.integrationId);
  if (channel === undefined) {
    return [{ path: `${path}.integrationId`, problem: 'is not an integration of this app' }];
  }
  const recipients = findAlertRecipients(channel, target.to);
  return 'problem' in recipients ? [{ path: `${path}.to`, problem: recipients.problem }] : [];
}
