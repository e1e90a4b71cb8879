import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { AppSettingFields, getSettings } from './app-setting-fields';
import { Form } from './form';
import { useForm } from './use-form';

afterEach(cleanup);

type Values = ReturnType<typeof getSettings>;

function TestForm({ send }: { send: (values: Values) => Promise<{ value: string }> }) {
  const form = useForm(getSettings(undefined));
  return (
    <Form form={form} onSubmit={form.submit(send, () => undefined)}>
      <AppSettingFields hasDelivery={false} />
      <button type="submit">Save</button>
    </Form>
  );
}

function setUp() {
  const send = jest.fn(async (_values: Values) => ({ value: 'saved' }));
  render(<TestForm send={send} />);
  return { send, user: userEvent.setup() };
}

describe('the settings of an app', () => {
  test('are sent as numbers and texts, and an empty field as null', async () => {
    const { send, user } = setUp();
    await user.type(screen.getByLabelText('Retention in days'), '90');
    await user.type(screen.getByLabelText('Default region of phone numbers'), 'de');
    await user.click(screen.getByText('Save'));
    expect(send.mock.calls[0]?.[0]).toMatchObject({
      ...{ retentionDays: 90, defaultRegion: 'DE', pageColor: null },
    });
    await user.clear(screen.getByLabelText('Retention in days'));
    await user.click(screen.getByText('Save'));
    expect(send.mock.calls[1]?.[0]).toMatchObject({ retentionDays: null });
  });

  test.each([
    ['Retention in days', '1', 'Enter a whole number from 2 to 3650, or nothing.'],
    ['Retention in days', '3651', 'Enter a whole number from 2 to 3650, or nothing.'],
    ['Retention in days', '7.5', 'Enter a whole number from 2 to 3650, or nothing.'],
    ['Retention in days', 'week', 'Enter a whole number from 2 to 3650, or nothing.'],
    ['Color of preference pages', 'red', 'Enter a color such as #1d4ed8.'],
  ])('in %s, %s is not sent, and the field says what is right', async (label, text, problem) => {
    const { send, user } = setUp();
    await user.type(screen.getByLabelText(label), text);
    await user.click(screen.getByText('Save'));
    expect(await screen.findByText(problem)).toBeTruthy();
    expect(send).not.toHaveBeenCalled();
  });
});
