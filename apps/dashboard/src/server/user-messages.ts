import type { UserMessage } from '@belfry/pipeline/operate';
import type * as wire from '../api/users';
import { sortByChannel } from './channel-order';
import { explainReason, summarizeMessage } from './explain';
import { showTarget } from './show-target';

/** The newest messages by channel, in channel order. `rows` are sorted within a channel. */
export function toUserMessages(
  rows: readonly UserMessage[],
  readAt: Date,
): wire.UserMessagesAnswer {
  const channels = sortByChannel([...new Set(rows.map(({ channel }) => channel))]);
  return {
    channels: channels.map((channel) => ({
      channel,
      messages: rows.filter((row) => row.channel === channel).map(toUserMessage),
    })),
    readAt: readAt.getTime(),
  };
}

function toUserMessage(row: UserMessage): wire.UserMessage {
  const { requestId, item, event, acceptedAt, messageId, message, verdict } = row;
  const origin = { requestId, item, event, acceptedAt: acceptedAt.getTime(), messageId };
  if (message) {
    const { target, state, reason, settledAt } = message;
    const explanation = summarizeMessage(message, verdict?.suppression ?? null);
    return {
      ...{ ...origin, target: showTarget(row.channel, target), state, reason },
      settledAt: settledAt?.getTime() ?? null,
      explanation,
    };
  }
  const reason = row.skipReason ?? '';
  const explanation = explainReason(reason, row.skipDetail);
  return { ...origin, target: null, state: 'skipped', reason, settledAt: null, explanation };
}
