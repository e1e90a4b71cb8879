import { cleanup, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { Definition, EventAnswer } from '../../api/events';
import type { Draft } from '../editor/use-draft';
import { createTestApi, renderPart } from '../render-part.fixture';
import { VersionHead } from './version-head';

afterEach(cleanup);

const route = 'POST /api/apps/:appId/events/:eventId/versions/:versionId/restore';

function createDefinition(missing: Definition['missing']): Definition {
  return { defaultLocale: 'en', missing, isSensitive: false, channels: {} };
}

function open(draftDefinition: Definition) {
  const api = createTestApi({ [route]: { id: 'event-1' } });
  const onEvent = jest.fn();
  const event = {
    ...{ id: 'event-1', liveNumber: 2, live: { id: 'v2', definition: createDefinition('empty') } },
    draft: { savedBy: 'vera@example.com', savedAt: 0 },
  };
  const draft = { definition: draftDefinition, saved: { revision: 7 } };
  renderPart(
    <VersionHead
      event={event as unknown as EventAnswer}
      draft={draft as unknown as Draft}
      viewedVersion={{ id: 'v1', title: 'v1', definition: createDefinition('empty') } as never}
      before={undefined}
      versions={[]}
      isShown
      onAgainst={() => {}}
      onEvent={onEvent}
      onRollBack={() => {}}
      onProblem={() => {}}
    />,
    api,
  );
  const countCalls = () => api.call.mock.calls.filter(([called]) => called === route).length;
  return { countCalls, onEvent };
}

describe('a version that becomes the draft', () => {
  test('replaces a draft with changes only after a question, because no version keeps them', async () => {
    const { countCalls, onEvent } = open(createDefinition('reject'));
    await userEvent.click(screen.getByText('Restore as draft'));
    const { textContent } = screen.getByText(/last saved at/);
    expect(textContent).toMatch(/last saved at .* by vera@example.com\.$/);
    expect(countCalls()).toBe(0);
    await userEvent.click(screen.getByRole('button', { name: 'Replace the draft' }));
    expect(countCalls()).toBe(1);
    expect(onEvent).toHaveBeenCalledWith({ id: 'event-1' });
  });

  test('replaces a draft without changes at once', async () => {
    const { countCalls } = open(createDefinition('empty'));
    await userEvent.click(screen.getByText('Restore as draft'));
    expect(countCalls()).toBe(1);
  });
});
