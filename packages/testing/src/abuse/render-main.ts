import { createCompose } from '@belfry/accepting';
import { type ChannelName, channels } from '@belfry/channels';
import { TemplateError } from '@belfry/shared';
import { type Held, measureSince, readMemory, readMoment, resetPeak } from './loop-clock';
import type { AbuseMessage } from './messages';

/** What one rendering came to, in this process. */
export type Rendered = Held & {
  /** `rendered`, a failure reason, `refused` when it was compiled, or `threw …`. */
  outcome: string;
  /** Peak over what the process held after it had rendered a small template on each channel. */
  growthMb: number;
};

/** What a message is for that has no template of its own. */
const targets: Record<ChannelName, string> = {
  email: 'ana@example.com',
  slack: 'C012345678',
  sms: '+4520123456',
  whatsapp: '+4520123456',
  telegram: '55510142',
  push: 'token:1',
  onesignal: 'person-1',
  in_app: 'person-1',
};

/**
 * A child that renders one message after the other by the entry that gateway and workers use. The same version is
 * compiled and rendered, as a worker does with the first message of a version.
 */
function render({ channel: name, definition, data, override }: AbuseMessage): string {
  const channel = channels[name as ChannelName];
  const channelVersion = definition.channels[name];
  if (!channelVersion) throw new Error('The message has no version of its channel');
  try {
    const composed = createCompose(channel)({
      message: {
        channel: name,
        target: targets[name as ChannelName],
        locale: 'en',
        data: JSON.stringify(data),
        override: override === undefined ? undefined : JSON.stringify(override),
      },
      version: { id: 'abuse', eventId: 'abuse', definition },
      channelVersion,
    });
    return 'failed' in composed ? composed.failed : 'rendered';
  } catch (error) {
    if (error instanceof TemplateError) return 'refused';
    return `threw ${error instanceof Error ? `${error.name}: ${error.message}` : error}`;
  }
}

let restMb = 0;

function measure(message: AbuseMessage): Rendered {
  // Garbage of the message before is not this one's.
  globalThis.gc?.();
  resetPeak();
  const began = readMoment();
  const outcome = render(message);
  return { outcome, ...measureSince(began), growthMb: readMemory().peakMb - restMb };
}

process.on('message', ({ message, isWarmUp }: { message: AbuseMessage; isWarmUp: boolean }) => {
  const rendered = measure(message);
  if (isWarmUp) restMb = readMemory().residentMb;
  process.send?.(rendered);
});
