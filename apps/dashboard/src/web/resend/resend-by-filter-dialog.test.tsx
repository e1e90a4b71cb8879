import { cleanup, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ResendCountAnswer } from '../../api/resends';
import { createTestApi, renderPart } from '../render-part.fixture';
import { ResendByFilterDialog } from './resend-by-filter-dialog';

afterEach(cleanup);

const resendCount: ResendCountAnswer = {
  filters: { state: 'failed' },
  messages: 3,
  isOver: false,
  max: 10_000,
  channels: [],
  states: [{ name: 'failed', messages: 3, warning: null }],
  leftOut: [],
  mayDuplicate: 0,
  waiting: 0,
  paces: [5, 10],
};

test('a changed number of messages is counted again, and needs another confirmation', async () => {
  let messages = 3;
  const api = createTestApi({
    'GET /api/apps/:appId/resends/count': () => ({ ...resendCount, messages }),
  });
  const refusal = { code: 'needs_confirmation', error: '4 messages match now.' };
  const read = api.call.getMockImplementation();
  api.call.mockImplementation((route, ...input) =>
    route.startsWith('POST')
      ? Promise.resolve({ problem: refusal } as never)
      : read!(route, ...input),
  );
  renderPart(<ResendByFilterDialog filters={resendCount.filters} onClose={() => undefined} />, api);
  await userEvent.selectOptions(await screen.findByLabelText('Rate'), '5');
  messages = 4;
  await userEvent.click(screen.getByRole('button', { name: 'Resend 3 messages' }));
  await screen.findByRole('button', { name: 'Resend 4 messages' });
  expect(screen.getByText(refusal.error)).toBeTruthy();
  expect(api.call).toHaveBeenCalledWith('POST /api/apps/:appId/resends', {
    appId: 'a',
    body: {
      filters: resendCount.filters,
      ...{ confirmed: 3, confirmedStates: { failed: 3 }, perSecond: 5 },
    },
  });
});

test('messages that are not resent are counted in words, one or many', async () => {
  const means = 'Still waiting, or being sent. Wait until that ends, or cancel.';
  const warning = '2 messages were accepted by the provider: their recipients may get them twice.';
  const answer = {
    ...resendCount,
    ...{ states: [{ name: 'sent', messages: 2, warning }], mayDuplicate: 2 },
    leftOut: [1, 3].map((messages) => ({ reason: `not_ended_${messages}`, means, messages })),
  };
  const api = createTestApi({ 'GET /api/apps/:appId/resends/count': answer });
  renderPart(<ResendByFilterDialog filters={resendCount.filters} onClose={() => undefined} />, api);
  const items = await screen.findAllByRole('listitem');
  expect(items.map((item) => item.textContent)).toEqual([
    `1 message not resent. ${means}`,
    `3 messages not resent. ${means}`,
  ]);
  expect(screen.getByText('2 messages may arrive twice.')).toBeTruthy();
  expect(screen.getByText(warning)).toBeTruthy();
});
