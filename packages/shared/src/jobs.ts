/** What a delivery job carries: ids of messages of one channel and one lane, nothing else. */
export type DeliverJob = {
  ids: string[];
  /** What a provider that hangs holds up: the messages' integration, or their app where they have none. */
  lane: string;
};

/** What a fan-out job carries: the request whose items are to be planned. */
export type FanOutJob = { requestId: string };

export const maxMessagesPerJob = 20;

export const fanOutQueue = 'fanout';

/** The queue of a channel; the worker's role of the same name consumes it. */
export function getDeliverQueue(channel: string): string {
  return `deliver-${channel}`;
}

export function getFairnessKey({ integrationId, appId }: FairnessKeyFields): string {
  return integrationId ?? appId;
}

type FairnessKeyFields = { integrationId: string | undefined; appId: string };
