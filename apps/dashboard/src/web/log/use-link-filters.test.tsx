import { cleanup, screen } from '@testing-library/react';
import { useLocation } from 'react-router';
import { createTestApi, renderPart } from '../render-part.fixture';
import { ResendByFilter } from '../resend/resend-by-filter';
import { writeFilters } from './filters';
import { useLinkFilters } from './use-link-filters';

afterEach(cleanup);

function LinkFilters() {
  const { search } = useLocation();
  const { filters, ignored } = useLinkFilters(search);
  return (
    <>
      <output>{writeFilters(filters)}</output>
      {ignored.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      <ResendByFilter filters={filters} />
    </>
  );
}

function open(search: string) {
  const integrations = [{ id: 'i', name: 'smtp main' }];
  const api = createTestApi({ 'GET /api/apps/:appId/integrations': { integrations } });
  renderPart(<LinkFilters />, api, { path: `/?${search}` });
  return api;
}

const unknown = 'The link had an unknown integration; it was ignored.';

describe('a link to the log', () => {
  test('that names an integration of the app filters by it', async () => {
    open('state=queued&integration=smtp+main&do=resend');
    await screen.findByRole('dialog');
    expect(screen.getByText('state=queued&integration=smtp+main')).toBeTruthy();
    expect(screen.queryByText(unknown)).toBeNull();
  });

  test('that names another integration is used without it, says so, and opens no resend', async () => {
    open('state=queued&integration=gone&do=resend');
    await screen.findByText(unknown);
    expect(screen.getByText('state=queued')).toBeTruthy();
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('without an integration reads none', () => {
    expect(open('state=queued').call).not.toHaveBeenCalled();
  });
});
