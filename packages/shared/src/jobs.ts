/** Data of a delivery job: ids of messages of one channel and one fairness key, nothing else. */
export type DeliverJob = {
  ids: string[];
  /** The fairness key: the messages' integration, or their app if they have none. A provider that hangs blocks only this key. */
  fairnessKey: string;
};

/** Data of a fan-out job: the request whose items are planned. */
export type FanOutJob = { requestId: string };

export const maxMessagesPerJob = 20;

export const fanOutQueue = 'fanout';

/** The roles of workers besides one for each channel. */
export const commonRoles = [fanOutQueue, 'relay', 'webhooks'] as const;

/** Roles that an operator must name: `all` does not include them. */
export const optionalRoles = ['bounces'] as const;

/** The queue of a channel; the worker role of the same name consumes it. */
export function getDeliverQueue(channel: string): string {
  return `deliver-${channel}`;
}

export function getFairnessKey({ integrationId, appId }: FairnessKeyFields): string {
  return integrationId ?? appId;
}

type FairnessKeyFields = { integrationId: string | undefined; appId: string };
