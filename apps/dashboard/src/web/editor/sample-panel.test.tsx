import { cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { EventAnswer } from '../../api/events';
import type { ChannelPreview } from '../../api/preview';
import { createTestApi, renderPart } from '../render-part.fixture';
import { SamplePanel } from './sample-panel';
import type { Draft } from './use-draft';
import { useSample } from './use-sample';

afterEach(cleanup);

const event = { id: 'event-1' } as EventAnswer;
// The panel reads only the definition.
const draft = { definition: {} } as Draft;

function Panel() {
  return <SamplePanel sample={useSample(event, draft, 'en')} />;
}

const refused: ChannelPreview = { channel: 'email', state: 'refused', problems: [] };
const unread = 'Values of email cannot be read until the template has no errors.';
const noValues = 'The templates of this event use no values yet.';

function open(
  data: Record<string, unknown>,
  previews: ChannelPreview[],
  request?: Record<string, unknown>,
) {
  const last = { requestId: 'r', createdAt: 0, data: request, user: null };
  renderPart(
    <Panel />,
    createTestApi({
      'GET /api/apps/:appId/events/:eventId/sample': {
        generated: data,
        fromRequest: request ? last : null,
      },
      'POST /api/apps/:appId/events/:eventId/preview': { data, previews },
    }),
  );
}

describe('the values of sample data', () => {
  test('are counted once the templates are read', async () => {
    open({ user: 'Ana', order: { id: 1 } }, []);
    expect(screen.queryByText(/^\d+ values?$/)).toBeNull();
    expect(await screen.findByText('2 values')).toBeTruthy();
    cleanup();
    open({}, []);
    expect(screen.queryByText(noValues)).toBeNull();
    expect(await screen.findByText('0 values')).toBeTruthy();
    expect(screen.getByText(noValues)).toBeTruthy();
  });

  test.each([
    ['no other template', {}],
    ['a value of another channel', { user: 'Ana' }],
  ])('are not counted while a template has an error: %s', async (_case, data) => {
    open(data, [refused]);
    expect(await screen.findByText(unread)).toBeTruthy();
    expect(screen.queryByText(/^\d+ values?$/)).toBeNull();
    expect(screen.queryByText(noValues)).toBeNull();
    expect(screen.queryAllByRole('textbox')).toHaveLength(Object.keys(data).length);
  });

  test('keep their kind and the focus while they are typed', async () => {
    const user = userEvent.setup();
    open({ items: [1] }, []);
    const field = await screen.findByLabelText<HTMLInputElement>('items');
    await user.type(field, '{Backspace}, 2]');
    expect(field.value).toBe('[1, 2]');
    await user.click(screen.getByRole('button', { name: 'JSON' }));
    const area = screen.getByLabelText<HTMLTextAreaElement>('Sample data as JSON');
    expect(JSON.parse(area.value)).toEqual({ items: [1, 2] });
  });

  test('as JSON keep the focus while they are typed', async () => {
    const user = userEvent.setup();
    open({ name: 'Ana' }, []);
    await user.click(await screen.findByRole('button', { name: 'JSON' }));
    const area = screen.getByLabelText<HTMLTextAreaElement>('Sample data as JSON');
    area.focus();
    area.setSelectionRange(area.value.indexOf('Ana'), area.value.indexOf('Ana'));
    await user.keyboard('Mary ');
    expect(document.activeElement).toBe(area);
    expect(JSON.parse(area.value)).toEqual({ name: 'Mary Ana' });
  });

  test('are counted in data that does not come from the templates', async () => {
    open({}, [refused], {});
    await screen.findByText(unread);
    await userEvent.selectOptions(
      screen.getByLabelText('Source of the sample data'),
      screen.getByRole('option', { name: /^request/ }),
    );
    await waitFor(() => expect(screen.queryByText(unread)).toBeNull());
    expect(screen.getByText('0 values')).toBeTruthy();
    expect(screen.getByText('This data has no values.')).toBeTruthy();
  });
});
