import { act, cleanup, screen, within } from '@testing-library/react';
import { createTestApi, renderPart } from '../render-part.fixture';
import { TestSendResult } from './test-send-result';

const route = 'GET /api/apps/:appId/requests/:requestId';

const skipped = {
  kind: 'skipped',
  channel: 'push',
  reason: 'no_address',
  detail: '',
  explanation: { what: 'The user has no device.', remedy: null },
};

function createRow(channel: string, changes: Record<string, unknown>) {
  const empty = { reason: null, waits: null, explanation: null, captureId: null };
  const message = { kind: 'message', messageId: `${channel}-1`, channel, target: 'ana' };
  return { ...empty, ...message, ...changes };
}

const first = [
  createRow('sms', {
    state: 'queued',
    waits: {
      reason: 'retry',
      attempts: 3,
      maxAttempts: 8,
      dueAt: Date.now(),
      sentence: 'Attempt 3 of 8 failed.',
    },
    explanation: { what: 'The provider is busy.', remedy: null },
  }),
  createRow('email', { state: 'sending' }),
  skipped,
];
const last = [
  createRow('sms', {
    state: 'failed',
    reason: 'attempts_exhausted',
    explanation: { what: 'All attempts failed.', remedy: 'Find the cause.' },
  }),
  createRow('email', { state: 'delivered', captureId: 'capture-1' }),
  skipped,
];

const readEach = () => act(() => jest.advanceTimersByTimeAsync(1_500));
const rowTexts = () =>
  within(screen.getByRole('list'))
    .getAllByRole('listitem')
    .map((row) => row.textContent?.replace(/\s+/g, ' '));

beforeEach(() => void jest.useFakeTimers());
afterEach(() => {
  cleanup();
  jest.useRealTimers();
});

describe('a test send', () => {
  test('shows what happens on each channel until every message is final, then reads no more', async () => {
    const answers = [first, last];
    const read = () => ({ readAt: Date.now(), channelRows: answers.shift() });
    const api = createTestApi({ [route]: read });
    renderPart(<TestSendResult requestId="request-1" onGo={() => {}} />, api);
    await act(() => jest.advanceTimersByTimeAsync(0));
    expect(rowTexts()).toEqual([
      expect.stringMatching(
        /^ ?sms retrying \(3 of 8\), next at \d\d:\d\d:\d\d ana ?Attempt 3 of 8 failed\. The provider is busy\./,
      ),
      expect.stringMatching(/email sending ana/),
      expect.stringMatching(/push skipped no_address The user has no device\./),
    ]);
    await readEach();
    const [sms, email] = rowTexts();
    expect(sms).toMatch(
      /sms failed attempts_exhausted ana ?All attempts failed\. Find the cause\./,
    );
    expect(email).toMatch(/email delivered ana/);
    await readEach();
    expect(api.call).toHaveBeenCalledTimes(2);
  });

  test('links to its request in the log and to its captured messages', async () => {
    const api = createTestApi({ [route]: { readAt: Date.now(), channelRows: last } });
    renderPart(<TestSendResult requestId="request-1" onGo={() => {}} />, api);
    await act(() => jest.advanceTimersByTimeAsync(0));
    const links = screen.getAllByRole('link').map((link) => link.getAttribute('href'));
    expect(links).toEqual(['/apps/a/log/request-1', '/apps/a/sandbox/capture-1']);
  });
});
