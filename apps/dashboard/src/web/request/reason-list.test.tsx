import { cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ReasonGroup, RequestAnswer } from '../../api/requests';
import { createTestApi, renderPart } from '../render-part.fixture';
import { ReasonList } from './reason-list';

afterEach(cleanup);

const patience = { timeout: 20_000 };
const explanation = { what: 'It failed.', remedy: null };

test.each([
  [null, 'no_reason'],
  ['expired', 'expired'],
])('resends exactly the messages that failed with the reason %s', async (reason, filter) => {
  const api = createTestApi({});
  const group: ReasonGroup = { channel: 'sms', state: 'failed', reason, count: 3, explanation };
  // The list reads only these members.
  const request = { requestId: 'r', groups: [group], counts: { failed: 3 } } as RequestAnswer;
  const onFilter = jest.fn();
  renderPart(<ReasonList request={request} onFilter={onFilter} />, api);
  const filters = { channel: 'sms', reason: filter };
  await userEvent.click(screen.getByRole('button', { name: 'Show' }));
  expect(onFilter).toHaveBeenCalledWith({ ...filters, state: 'failed' });
  await userEvent.click(screen.getByRole('button', { name: 'Resend these…' }));
  await waitFor(
    () =>
      expect(api.call).toHaveBeenCalledWith('GET /api/apps/:appId/resends/count', {
        appId: 'a',
        query: { ...filters, state: 'failed', requestId: 'r' },
      }),
    patience,
  );
});
