import type { IntegrationAnswer } from './integrations';

/** The end of the messages that wait for a removed integration, as a sentence; empty if none waits. */
export function describeWaitingHarm({
  waiting,
  isWaitingCapped,
}: Pick<IntegrationAnswer, 'waiting' | 'isWaitingCapped'>): string[] {
  const end = 'will fail as integration_removed.';
  if (waiting === 0) return isWaitingCapped ? [`Messages that wait for it ${end}`] : [];
  const messages = `${waiting.toLocaleString('en-US')} waiting ${waiting === 1 ? 'message' : 'messages'}`;
  return [`${isWaitingCapped ? `At least ${messages}` : messages} ${end}`];
}
