import { queueReasonNames } from '@belfry/shared';
import { cleanup, screen } from '@testing-library/react';
import type { ChannelQueue, WaitCount } from '../../api/queues';
import { createTestApi, renderPart } from '../render-part.fixture';
import { ChannelTable } from './channel-table';

afterEach(cleanup);

const createCount = (messages: number, isCapped = false): WaitCount => ({
  ...{ messages, isCapped, oldestAt: messages > 0 ? 0 : null, nextDueAt: null },
});

const counts = { due: createCount(3), paused: createCount(10_000, true) };
const none = Object.fromEntries(queueReasonNames.map((name) => [name, createCount(0)]));
const sms: ChannelQueue = {
  ...{ channel: 'sms', queued: createCount(10_000, true), sending: createCount(1) },
  // Safe cast: these are all reasons.
  reasons: { ...none, ...counts } as ChannelQueue['reasons'],
  ...{ rates: [], perSecond: 0, peakPerSecond: 0, workers: [], noWorkerSince: null },
  ...{ isPaused: false, pausedAt: null, pausedBy: null, sentence: null },
};

test('each number of waiting messages leads to exactly these in the log, with the age of the oldest', () => {
  const onChanged = async () => undefined;
  renderPart(
    <ChannelTable channels={[sms]} appId="a" readAt={90_000} onChanged={onChanged} />,
    createTestApi({}),
  );
  const links = screen.getAllByRole<HTMLAnchorElement>('link');
  expect(links.map((link) => [link.textContent, link.getAttribute('href')])).toEqual([
    ['10,000+ queued sms', '/apps/a/log?state=queued&channel=sms'],
    ['3 due sms', '/apps/a/log?waits=due&channel=sms'],
    ['10,000+ paused sms', '/apps/a/log?waits=paused&channel=sms'],
    ['1 sending sms', '/apps/a/log?state=sending&channel=sms'],
  ]);
  expect(screen.getAllByText(/^oldest 1 m 30 s/)).toHaveLength(4);
});
