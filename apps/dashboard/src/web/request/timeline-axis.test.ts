import type { AttemptStep, MessageChannelRow, Step } from '../../api/requests';
import { createAxis, createBits } from './timeline-axis';

const acceptedAt = 1_000_000;

function createAttempt(fromMs: number, toMs: number | null, outcome: AttemptStep['outcome']): Step {
  return {
    kind: 'attempt',
    number: 1,
    at: acceptedAt + fromMs,
    closedAt: toMs === null ? null : acceptedAt + toMs,
    outcome,
    reason: null,
    detail: null,
    provider: null,
    integration: null,
    worker: null,
    isPossibleDuplicate: false,
    providerMessageId: null,
    request: null,
    response: null,
    explanation: null,
    ending: outcome === null ? null : 'accepted',
  };
}

function createChannelRow(steps: Step[]): MessageChannelRow {
  return {
    kind: 'message',
    messageId: 'm',
    channel: 'sms',
    target: '+12025550123',
    generation: 0,
    state: 'sent',
    reason: null,
    waits: null,
    dueAt: null,
    expiresAt: 0,
    createdAt: acceptedAt,
    settledAt: null,
    attempts: 1,
    unknownCount: 0,
    integration: null,
    resendOf: null,
    resendRun: null,
    notes: {},
    steps,
    explanation: null,
    rendered: null,
    captureId: null,
    can: {
      resend: { isAllowed: false, warning: null, because: null },
      cancel: { isAllowed: false, because: null },
    },
  };
}

describe('the time axis', () => {
  test('covers at least 100 s, in equal decades from 1 ms', () => {
    const channelRow = createChannelRow([createAttempt(10, 100, 'accepted')]);
    const axis = createAxis([channelRow], acceptedAt, acceptedAt + 200);
    expect(axis.labels.at(-1)).toEqual({ text: '100 s', x: 100 });
    expect(createBits(channelRow, axis, { acceptedAt, readAt: acceptedAt })).toEqual([
      { kind: 'ok', x: 20, width: 20, title: 'attempt 1, accepted' },
    ]);
  });

  test('does not show the rejection and receipt of a skipped message as failures', () => {
    const receipt: Step = {
      kind: 'receipt',
      at: acceptedAt + 1_000,
      state: 'failed',
      errorCode: '21610',
      detail: null,
      body: null,
    };
    const channelRow = createChannelRow([createAttempt(10, 100, 'rejected'), receipt]);
    const axis = createAxis([channelRow], acceptedAt, acceptedAt);
    const kindsAt = (state: string) =>
      createBits({ ...channelRow, state }, axis, { acceptedAt, readAt: acceptedAt }).map(
        ({ kind }) => kind,
      );
    expect(kindsAt('skipped')).toEqual(['skip', 'mark skipped']);
    expect(kindsAt('failed')).toEqual(['bad', 'mark failed']);
  });

  test('grows by whole decades for longer times', () => {
    const channelRow = createChannelRow([createAttempt(10, 150_000, 'unknown')]);
    const axis = createAxis([channelRow], acceptedAt, acceptedAt);
    expect(axis.decades).toBe(6);
    expect(axis.labels.map(({ text }) => text)).toEqual(['0.1 s', '10 s', '17 min']);
  });

  test('draws an open call up to the read time', () => {
    const channelRow = createChannelRow([createAttempt(10, null, null)]);
    const axis = createAxis([channelRow], acceptedAt, acceptedAt + 1_000);
    const [bit] = createBits(channelRow, axis, { acceptedAt, readAt: acceptedAt + 1_000 });
    expect(bit).toMatchObject({ kind: 'open', x: 20, width: 40 });
  });

  test('keeps times from a slow clock on the axis', () => {
    const channelRow = createChannelRow([createAttempt(-50, 20, 'retry')]);
    const [bit] = createBits(channelRow, createAxis([channelRow], acceptedAt, acceptedAt), {
      acceptedAt,
      readAt: acceptedAt,
    });
    expect(bit?.x).toBe(0);
  });
});
