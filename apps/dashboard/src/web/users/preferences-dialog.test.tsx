import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { UserAnswer } from '../../api/users';
import { createTestApi, registry, renderPart } from '../render-part.fixture';
import { formatPreferences } from './preferences';
import { PreferencesDialog } from './preferences-dialog';

afterEach(cleanup);

const route = 'PUT /api/apps/:appId/users/:userSid/preferences';
const switches = [
  { channel: null, category: null, isOff: true },
  { channel: 'sms', category: null, isOff: false },
  { channel: 'sms', category: 'news', isOff: true },
];

async function open() {
  const category = { texts: {}, position: 1, updatedAt: 0 };
  const api = createTestApi({
    'GET /api/apps/:appId/categories': { max: 50, categories: [{ ...category, slug: 'news' }] },
    [route]: { locale: null, switches: [] },
  });
  const ended: string[] = [];
  const user = { sid: 'u1', userId: 'ana', preferences: { locale: null, switches } };
  const channels = ['sms', 'email'].map((channel) => ({ channel }));
  renderPart(
    <PreferencesDialog
      user={user as unknown as UserAnswer}
      onClose={() => ended.push('closed')}
      onDone={async () => void ended.push('done')}
    />,
    api,
    // The dialog reads only the names of channels.
    { registry: { ...registry, channels: channels as never } },
  );
  await screen.findByLabelText('Events');
  return { api, ended };
}

const choice = (level: string, name: string) =>
  within(screen.getByRole('group', { name: level })).getByRole('button', { name });
const pressed = (level: string) =>
  within(screen.getByRole('group', { name: level })).getByRole('button', { pressed: true })
    .textContent;

test('each of the four levels shows its value, and only changed levels are sent', async () => {
  const { api, ended } = await open();
  expect(['Everything', 'sms', 'email'].map(pressed)).toEqual(['Off', 'On', 'Not set']);
  const save = screen.getByRole<HTMLButtonElement>('button', { name: 'Save preferences' });
  expect(save.disabled).toBe(true);
  fireEvent.click(choice('Everything', 'Not set'));
  fireEvent.change(screen.getByLabelText('Events'), { target: { value: 'news' } });
  expect(['Every channel', 'sms', 'email'].map(pressed)).toEqual(['Not set', 'Off', 'Not set']);
  fireEvent.click(choice('Every channel', 'On'));
  fireEvent.click(choice('email', 'Off'));
  fireEvent.click(choice('email', 'Not set'));
  fireEvent.click(save);
  await waitFor(() => expect(ended).toEqual(['closed', 'done']));
  expect(api.call).toHaveBeenLastCalledWith(route, {
    ...{ appId: 'a', userSid: 'u1' },
    body: {
      changes: [
        { channel: null, category: null, isOff: null },
        { channel: null, category: 'news', isOff: false },
      ],
    },
  });
});

test('a level is changed with the keyboard alone, and closing asks before the change is lost', async () => {
  const { ended } = await open();
  const keyboard = userEvent.setup();
  choice('email', 'Off').focus();
  await keyboard.keyboard('{Enter}');
  expect(pressed('email')).toBe('Off');
  await keyboard.keyboard('{Escape}');
  expect(await screen.findByRole('button', { name: /Discard/ })).toBeTruthy();
  expect(ended).toEqual([]);
});

test('the profile says every value in words', () => {
  expect(formatPreferences({ locale: null, switches: [] })).toBe('everything is on');
  expect(formatPreferences({ locale: null, switches })).toBe(
    'everything is off, sms is on, category “news” is off for sms. Mandatory events are still sent.',
  );
});
