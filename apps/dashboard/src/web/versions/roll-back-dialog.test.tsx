import { cleanup, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { Definition, EventAnswer, VersionAnswer } from '../../api/events';
import type { RegistryAnswer } from '../../api/registry';
import type { Draft } from '../editor/use-draft';
import { createTestApi, registry, renderPart } from '../render-part.fixture';
import { RollBackDialog } from './roll-back-dialog';

afterEach(cleanup);

const policy = { attempts: 8, timeToLiveMs: 86_400_000, onUnknown: 'resend' } as const;
const rollBackRoute = 'POST /api/apps/:appId/events/:eventId/versions/:versionId/roll-back';

function createDefinition(text: string): Definition {
  const sms = { integrationIds: [], templates: { en: { text } }, policy };
  return { defaultLocale: 'en', missing: 'empty', isSensitive: false, channels: { sms } };
}

function open(toText: string) {
  const definition = createDefinition('Order {{id}} left');
  const live = { id: 'version-4', kind: 'live', number: 4, definition } as VersionAnswer;
  const event = { id: 'event-1', name: 'order', live } as EventAnswer;
  const to = { id: 'version-1', title: 'v1', definition: createDefinition(toText) };
  const api = createTestApi({
    'GET /api/apps/:appId/integrations': { integrations: [] },
    'POST /api/apps/:appId/events/:eventId/variables': { isSensitive: true },
    [rollBackRoute]: event,
  });
  renderPart(
    <RollBackDialog
      event={event}
      to={{ ...to, row: undefined, previousId: undefined }}
      // The dialog reads only these parts.
      draft={{ definition, isDirty: false } as unknown as Draft}
      onEvent={() => undefined}
      onReload={async () => undefined}
      onClose={() => undefined}
    />,
    api,
    { registry: { ...registry, channels: [{ channel: 'sms' }] as RegistryAnswer['channels'] } },
  );
  const listRollBacks = () => api.call.mock.calls.filter(([route]) => route === rollBackRoute);
  return { review: screen.getByRole('region', { name: 'Changes to v4' }), listRollBacks };
}

describe('a roll-back', () => {
  test('shows the difference from the live version before the operator confirms it', async () => {
    const { review, listRollBacks } = open('Order {{id}} arrived');
    const table = within(review).getByRole('table', { name: 'sms en text' });
    expect(table.querySelector('del')?.textContent).toBe('left');
    expect(table.querySelector('ins')?.textContent).toBe('arrived');
    expect(listRollBacks()).toHaveLength(0);
    await userEvent.click(screen.getByRole('button', { name: 'Roll back' }));
    expect(listRollBacks()).toHaveLength(1);
  });

  test('says that the older version equals the live one', () => {
    const { review } = open('Order {{id}} left');
    expect(within(review).getByText('v4 and v1 are equal.')).toBeTruthy();
  });
});
