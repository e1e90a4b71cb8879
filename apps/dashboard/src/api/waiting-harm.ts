import type { IntegrationAnswer } from './integrations';

/** What happens to the messages that wait for an integration when it is removed; empty if none waits. */
export function describeWaitingHarm({
  waiting,
  isWaitingCapped,
}: Pick<IntegrationAnswer, 'waiting' | 'isWaitingCapped'>): string[] {
  const end = 'will fail as integration_removed.';
  if (waiting === 0) return isWaitingCapped ? [`Messages that wait for it ${end}`] : [];
  const messages = `${waiting.toLocaleString('en-US')} waiting ${waiting === 1 ? 'message' : 'messages'}`;
  return [`${isWaitingCapped ? `At least ${messages}` : messages} ${end}`];
}
