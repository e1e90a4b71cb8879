import { Writable } from 'node:stream';
import type { ClaimedMessage, VersionRow } from '@belfry/database';
import { createLogger } from '@belfry/runtime';
import type { ChannelVersion } from '@belfry/shared';
import { testSecrets } from '@belfry/testing';
import { type AttemptDeps, attemptMessage } from './attempt';
import { createDeadlines } from './deadlines';

const channelVersion: ChannelVersion = {
  integrationIds: [],
  templates: {},
  policy: { attempts: 8, timeToLiveMs: 60_000, onUnknown: 'resend' },
};

const message: ClaimedMessage = {
  id: 'm',
  requestId: 'r',
  item: 0,
  appId: 'a',
  eventId: 'e',
  versionId: 'v',
  channel: 'slack',
  target: 'C1',
  attempt: 1,
  unknownCount: 0,
  attemptsInRow: 1,
  integrationId: undefined,
  hasWaitedLong: false,
  recipient: undefined,
  data: undefined,
  override: undefined,
  locale: undefined,
};

const version: VersionRow = {
  id: 'v',
  eventId: 'e',
  definition: {
    defaultLocale: 'en',
    missing: 'empty',
    isSensitive: false,
    channels: { slack: channelVersion },
  },
};
const away = () => Promise.reject(new Error('away'));

const nowhere = new Writable({ write: (_line, _encoding, done) => done() });

function attempt(changes: Partial<AttemptDeps>) {
  const deps: AttemptDeps = {
    findVersion: async () => version,
    findApp: away,
    findCarrier: away,
    compose: () => ({ failed: 'rejected_content', detail: '' }),
    pace: async () => true,
    deadlineMs: 1_000,
    leaseMs: 6_000,
    deadlines: createDeadlines(),
    secrets: testSecrets(),
    log: createLogger({ level: 'error', process: 'test', stream: nowhere }),
    ...changes,
  };
  return attemptMessage(deps, { message, claimedAtMs: performance.now() });
}

describe('an attempt for which PostgreSQL does not say', () => {
  test('what the version is, says so', async () => {
    expect(await attempt({ findVersion: away })).toEqual({
      outcome: expect.objectContaining({ outcome: 'retry', reason: 'internal' }),
      isVersionUnread: true,
    });
  });

  test('what the app is, is judged by the version', async () => {
    expect(await attempt({})).toEqual({
      outcome: expect.objectContaining({ outcome: 'retry', reason: 'internal' }),
      channelVersion,
    });
  });
});

test('an attempt whose version there is not is judged by none', async () => {
  expect(await attempt({ findVersion: async () => undefined })).toEqual({
    outcome: expect.objectContaining({ outcome: 'retry', reason: 'internal' }),
  });
});
