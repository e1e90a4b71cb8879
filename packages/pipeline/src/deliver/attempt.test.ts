import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { channels, type PreparedSend } from '@belfry/channels';
import { type AppRow, NotConnectedError, type VersionRow } from '@belfry/database';
import { createLogger } from '@belfry/runtime';
import type { ChannelVersion } from '@belfry/shared';
import { testSecrets } from '@belfry/testing';
import { type AttemptDeps, createAttempt, createDeadlines } from './attempt';
import type { Carrier } from './choose-integration';
import type { ClaimedMessage } from './claim.sql';

type Prepare = NonNullable<Carrier['prepare']>;

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
const app: AppRow = {
  id: 'a',
  accountId: 'c',
  name: 'Shop',
  delivery: 'live',
  openInboxCounters: false,
  inboxSignature: true,
  defaultRegion: null,
  isStorageFull: false,
};
const away = () => Promise.reject(new NotConnectedError(new Error('timeout')));
const faulty = () => Promise.reject(new Error('The integration has no key'));

const nowhere = new Writable({ write: (_line, _encoding, callback) => callback() });

function attempt(changes: Partial<AttemptDeps>) {
  const deps: AttemptDeps = {
    channel: channels.slack,
    findVersion: async () => version,
    findApp: away,
    findCarrier: away,
    compose: async () => ({ failed: 'rejected_content', detail: '' }),
    pace: async () => true,
    preparationMs: 1_000,
    deadlineMs: 1_000,
    leaseMs: 6_000,
    deadlines: createDeadlines(),
    secrets: testSecrets(),
    log: createLogger({ level: 'error', process: 'test', stream: nowhere }),
    ...changes,
  };
  return createAttempt(deps)({ message, claimedAtMs: performance.now() });
}

describe('an attempt whose facts cannot be read', () => {
  test.each<[string, Partial<AttemptDeps>]>([
    ['version', { findVersion: away }],
    ['app', { findApp: away }],
    ['integration', { findApp: async () => app, findCarrier: away }],
  ])('does not count while PostgreSQL is unavailable: %s', async (_what, changes) => {
    expect(await attempt(changes)).toEqual({
      outcome: expect.objectContaining({ outcome: 'retry', reason: 'database_unavailable' }),
      notNow: { waitMs: 1_000 },
    });
  });

  test('counts, by the rules of its version, after a fault of ours', async () => {
    expect(await attempt({ findApp: async () => app, findCarrier: faulty })).toEqual({
      outcome: expect.objectContaining({ outcome: 'retry', reason: 'internal' }),
      channelVersion,
    });
  });
});

describe('an attempt', () => {
  const sent: string[] = [];
  const released: string[] = [];

  /** An attempt with defaults, except for what a test changes. */
  const attemptWith = (
    prepared: Awaited<ReturnType<Prepare>>,
    changes: Partial<AttemptDeps> = {},
  ) =>
    attempt({
      findApp: async () => app,
      findCarrier: async () => ({
        provider: 'smtp',
        describe: () => ({ operation: 'SMTP', body: {} }),
        prepare: async () => prepared,
        send: () => Promise.reject(new Error('called without the prepared send')),
      }),
      compose: async () => ({ content: {}, missing: [] }),
      ...changes,
    });

  const prepared: PreparedSend = {
    async send({ signal }) {
      sent.push('m');
      await sleep(20);
      return signal.aborted
        ? { outcome: { outcome: 'unknown', reason: 'timeout' } }
        : { outcome: { outcome: 'accepted', providerMessageId: 'p1' } };
    },
    release: () => released.push('m'),
  };

  beforeEach(() => {
    sent.length = 0;
    released.length = 0;
  });

  test('is postponed with `no_connection` if no connection is free', async () => {
    expect(await attemptWith(undefined)).toMatchObject({
      outcome: { outcome: 'retry', reason: 'no_connection' },
      notNow: { waits: 'connections', waitMs: 1_000 },
    });
  });

  test.each<[string, Partial<AttemptDeps>, object]>([
    ['its limit is reached', { pace: async () => false }, { waits: 'limit', waitMs: 1_000 }],
    ['its lease is too short for a deadline', { leaseMs: 999 }, { waitMs: 1_000 }],
  ])('is postponed and releases its connection if %s', async (_why, changes, notNow) => {
    const ended = await attemptWith(prepared, changes);
    expect(ended).toMatchObject({ outcome: { reason: 'claimed_too_late' }, notNow });
    expect(ended).not.toHaveProperty('callMs');
    expect({ sent, released }).toEqual({ sent: [], released: ['m'] });
  });

  test('ends with the outcome of a failed preparation', async () => {
    const outcome = { outcome: 'retry', reason: 'attachment_unavailable' } as const;
    const ended = await attemptWith({ outcome });
    expect(ended).toMatchObject({ outcome, provider: 'smtp' });
    expect(ended).not.toHaveProperty('notNow');
    expect(ended).not.toHaveProperty('callMs');
  });

  test('gets its whole deadline, however long the preparation took', async () => {
    const pace = () => sleep(300, true);
    const ended = await attemptWith(prepared, { pace, deadlineMs: 200 });
    expect(ended).toMatchObject({ outcome: { outcome: 'accepted' } });
    expect(ended.callMs).toBeLessThan(200);
    expect({ sent, released }).toEqual({ sent: ['m'], released: ['m'] });
  });
});

test('an attempt without its version is retried with reason `internal`', async () => {
  expect(await attempt({ findVersion: async () => undefined })).toEqual({
    outcome: expect.objectContaining({ outcome: 'retry', reason: 'internal' }),
  });
});
