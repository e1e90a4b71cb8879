import { act, cleanup, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useEffect, useState } from 'react';
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

/** With the fields that it reads. */
function TestDialog({ event, draft }: { event: object; draft: object }) {
  return (
    <PublishDialog
      event={event as EventAnswer}
      draft={draft as Draft}
      onEvent={() => {}}
      onReload={async () => {}}
      onClose={() => {}}
    />
  );
}

function openDialog(definition: Definition) {
  const draft = { definition, checked: { problems: [] }, isDirty: false };
  const event = {
    id: 'event-1',
    name: 'order',
    live: { kind: 'live', number: 4, definition: live },
  };
  renderPart(
    <TestDialog event={event} draft={draft} />,
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

  test('does not deny a version that may be its own, as the answer to it was lost', async () => {
    const changed = createDefinition({ text: 'Order {{id}} arrived' });
    const problem = { code: 'unreachable', error: 'The server does not answer.' };
    const user = userEvent.setup();
    const publishLater = openChangingDialog(changed, { problem });
    await waitFor(() => expect(getPublish().disabled).toBe(false));
    await user.click(getPublish());
    expect(await screen.findByText(problem.error)).toBeTruthy();
    act(publishLater);
    expect(screen.getByText(/published v5/)).toBeTruthy();
    expect(screen.getByText(/may be your own version/)).toBeTruthy();
    expect(screen.queryByText(/Nothing was published/)).toBeNull();
    expect(screen.getByText(problem.error)).toBeTruthy();
  });
});

const getPublish = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Publish' });

/** The returned function lets the page read a version that went live meanwhile. */
function openChangingDialog(definition: Definition, publishAnswer: object): () => void {
  const api = createTestApi({});
  api.call.mockImplementation((route) => {
    const isPublish = route === 'POST /api/apps/:appId/events/:eventId/publish';
    const others = { value: { integrations: [], isSensitive: true } };
    return Promise.resolve(isPublish ? publishAnswer : others) as never;
  });
  const changing = { publishLater: () => {} };
  renderPart(<Changing definition={definition} changing={changing} />, api, {
    registry: { ...registry, channels: [{ channel: 'sms' }] as RegistryAnswer['channels'] },
  });
  return () => changing.publishLater();
}

type ChangingProps = { definition: Definition; changing: { publishLater: () => void } };

function Changing({ definition, changing }: ChangingProps) {
  const [number, setNumber] = useState(4);
  useEffect(() => {
    changing.publishLater = () => setNumber(5);
  }, [changing]);
  const version = { kind: 'live', definition: live, createdBy: 'ana', createdAt: 0 };
  const draft = { definition, saved: { revision: 1 }, checked: { problems: [] }, isDirty: false };
  const event = {
    ...{ id: 'event-1', name: 'order' },
    ...{ live: { ...version, id: `v${number}`, number }, draft: {} },
  };
  return <TestDialog event={event} draft={draft} />;
}
