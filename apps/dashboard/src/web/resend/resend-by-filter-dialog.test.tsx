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
  states: [],
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
    body: { filters: resendCount.filters, confirmed: 3, perSecond: 5 },
  });
});
