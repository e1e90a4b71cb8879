import { maskEndpoint } from '@belfry/shared';

/** The address of a message as the log shows it. The endpoint of a web push subscription is a capability URL. */
export function showTarget(channel: string, target: string): string {
  return channel === 'push' ? maskEndpoint(target) : target;
}
