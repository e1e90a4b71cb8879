import { cleanup, screen, waitFor, within } from '@testing-library/react';
import type { Definition, EventAnswer, Policy } from '../../api/events';
import type { RegistryAnswer } from '../../api/registry';
import { createTestApi, registry, renderPart } from '../render-part.fixture';
import { PublishDialog } from './publish-dialog';
import type { Draft } from './use-draft';

afterEach(cleanup);

const policy = { attempts: 8, timeToLiveMs: 86_400_000, onUnknown: 'resend' } as const;
const live = createDefinition({ text: 'Order {{id}} left' });

function createDefinition(template: { text: string }, changes: Partial<Policy> = {}): Definition {
  const templates = { en: template };
  const sms = { integrationIds: [], templates, policy: { ...policy, ...changes } };
  return { defaultLocale: 'en', missing: 'empty', isSensitive: false, channels: { sms } };
}

function openDialog(definition: Definition) {
  const draft = { definition, checked: { problems: [] }, isDirty: false };
  const event = {
    id: 'event-1',
    name: 'order',
    live: { kind: 'live', number: 4, definition: live },
  };
  renderPart(
    <PublishDialog
      event={event as unknown as EventAnswer}
      draft={draft as unknown as Draft}
      onEvent={() => {}}
      onReload={async () => {}}
      onClose={() => {}}
    />,
    createTestApi({
      'GET /api/apps/:appId/integrations': { integrations: [] },
      'POST /api/apps/:appId/events/:eventId/variables': { isSensitive: true },
    }),
    { registry: { ...registry, channels: [{ channel: 'sms' }] as RegistryAnswer['channels'] } },
  );
  return screen.getByRole<HTMLButtonElement>('button', { name: 'Publish' });
}

function getCellText(table: HTMLElement, word: string) {
  const cells = within(table).getAllByRole('cell');
  return cells.find(({ textContent }) => textContent?.includes(word))?.textContent;
}

describe('the review before publishing', () => {
  test('shows the difference from the live version: texts, policy and settings', async () => {
    const changed = createDefinition({ text: 'Order {{id}} arrived' }, { attempts: 3 });
    const publish = openDialog({ ...changed, missing: 'reject' });
    const review = screen.getByRole('region', { name: 'Changes to v4' });
    const tables = within(review).getAllByRole('table');
    const changes = tables.map((table) => [
      table.querySelector('caption')?.textContent,
      table.querySelector('del')?.textContent ?? getCellText(table, 'Removed: '),
      table.querySelector('ins')?.textContent ?? getCellText(table, 'Added: '),
    ]);
    expect(changes).toEqual([
      [
        'event a missing value',
        expect.stringContaining('renders'),
        expect.stringContaining('fails'),
      ],
      ['sms en text', 'left', 'arrived'],
      ['sms attempts', expect.stringContaining('8'), expect.stringContaining('3')],
    ]);
    await waitFor(() => expect(publish.disabled).toBe(false));
  });

  test('says that a draft equals the live version, and does not publish it', () => {
    const publish = openDialog(createDefinition({ text: 'Order {{id}} left' }));
    expect(screen.getByText('v4 and draft are equal.')).toBeTruthy();
    expect(publish.disabled).toBe(true);
  });
});
