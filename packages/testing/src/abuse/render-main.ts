import { type ChannelName, channels, warmTemplates } from '@belfry/channels';
import { createCompose, createPreviewLinks } from '@belfry/pipeline/deliver';
import { createFairQueue } from '@belfry/runtime';
import { type BlockTimes, measureSince, readMemory, readMoment, resetPeak } from './loop-clock';
import type { AbuseMessage } from './messages';

/** The result of one rendering in this process. */
export type Rendered = BlockTimes & {
  /** `rendered`, a failure reason (`rejected_content` where it could not be compiled), or `threw …`. */
  outcome: string;
  /** Peak memory above what the process held after it rendered a small template on each channel. */
  growthMb: number;
};

/** The recipient of a message without a template of its own. */
const targets: Partial<Record<string, string>> = {
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
 * A child that renders messages one after the other with the entry point of gateway and workers. It also compiles the
 * version, as a worker does with its first message.
 */
async function render({
  channel: name,
  definition,
  data,
  override,
}: AbuseMessage): Promise<string> {
  const channel = channels[name as ChannelName];
  const channelVersion = definition.channels[name];
  if (!channelVersion) throw new Error('The message has no version of its channel');
  try {
    const composed = await createCompose(
      channel,
      createFairQueue(),
      createPreviewLinks(''),
    )({
      accountId: 'attacker',
      message: {
        channel: name,
        target: targets[name] ?? 'target',
        locale: 'en',
        data: JSON.stringify(data),
        override: override === undefined ? undefined : JSON.stringify(override),
      },
      version: { id: 'abuse', eventId: 'abuse', definition },
      channelVersion,
    });
    return 'failed' in composed ? composed.failed : 'rendered';
  } catch (error) {
    return `threw ${error instanceof Error ? `${error.name}: ${error.message}` : error}`;
  }
}

/** The longest time that the work blocked the event loop in one turn. */
async function measureTicks<T>(
  work: () => Promise<T>,
): Promise<{ result: T; blockTimes: BlockTimes }> {
  let lastMoment = readMoment();
  let blockTimes: BlockTimes = { blockMs: 0, heldMs: 0 };
  let isOver = false;

  function tick(): void {
    const now = readMoment();
    const { blockMs, heldMs } = measureSince(lastMoment, now);
    blockTimes = {
      blockMs: Math.max(blockTimes.blockMs, blockMs),
      heldMs: Math.max(blockTimes.heldMs, heldMs),
    };
    lastMoment = now;
    if (!isOver) setImmediate(tick);
  }

  setImmediate(tick);
  const result = await work();
  isOver = true;
  tick();
  return { result, blockTimes };
}

let restMb = 0;

async function measure(message: AbuseMessage): Promise<Rendered> {
  // Do not count garbage of the previous message.
  globalThis.gc?.();
  resetPeak();
  const { result: outcome, blockTimes } = await measureTicks(() => render(message));
  return { outcome, ...blockTimes, growthMb: readMemory().peakMb - restMb };
}

type Order = { message: AbuseMessage; isWarmUp: boolean };

// As gateway, dashboard and workers do when they start.
const warmed = warmTemplates();

process.on('message', async ({ message, isWarmUp }: Order) => {
  await warmed;
  const rendered = await measure(message);
  if (isWarmUp) restMb = readMemory().residentMb;
  process.send?.(rendered);
});
