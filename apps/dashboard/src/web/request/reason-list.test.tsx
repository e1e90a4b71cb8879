import { cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ReasonGroup, RequestAnswer } from '../../api/requests';
import { createTestApi, renderPart } from '../render-part.fixture';
import { ReasonList } from './reason-list';

afterEach(cleanup);

const patience = { timeout: 20_000 };
const explanation = { what: 'It failed.', remedy: null };

test.each([
  ['failed', null, 'no_reason'],
  ['failed', 'expired', 'expired'],
  ['unknown', null, 'no_reason'],
])('resends exactly the messages that are %s with the reason %s', async (state, reason, filter) => {
  const api = createTestApi({});
  const group: ReasonGroup = { channel: 'sms', state, reason, count: 3, explanation };
  const counts = { failed: 0, unknown: 0, [state]: 3 };
  // The list reads only these members.
  const request = { requestId: 'r', groups: [group], counts } as unknown as RequestAnswer;
  const onFilter = jest.fn();
  renderPart(<ReasonList request={request} onFilter={onFilter} />, api);
  const filters = { channel: 'sms', state, reason: filter };
  await userEvent.click(screen.getByRole('button', { name: 'Show' }));
  expect(onFilter).toHaveBeenCalledWith(filters);
  await userEvent.click(screen.getByRole('button', { name: 'Resend these…' }));
  await waitFor(
    () =>
      expect(api.call).toHaveBeenCalledWith('GET /api/apps/:appId/resends/count', {
        appId: 'a',
        query: { ...filters, requestId: 'r' },
      }),
    patience,
  );
});
