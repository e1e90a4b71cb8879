import { cleanup, screen } from '@testing-library/react';
import { createTestApi, renderPart } from '../render-part.fixture';
import { AuditPage } from './audit-page';

afterEach(cleanup);

test('a wrong parameter in a link is not sent, and the page names it', () => {
  const api = createTestApi({});
  renderPart(<AuditPage />, api, { path: '/audit?from=abc&operator=none' });
  expect(
    screen.getByText(/The link had a start time that is not a time; it was ignored/),
  ).toBeTruthy();
  const [, input] = api.call.mock.calls.find(([route]) => route === 'GET /api/audit') ?? [];
  expect(input).toEqual({ query: { operator: 'none' } });
});
