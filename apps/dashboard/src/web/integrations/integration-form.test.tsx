import { cleanup, screen } from '@testing-library/react';
import { createStored, getInput, open, session } from './integration-form.fixture';

afterEach(cleanup);

const getCounts = () => [
  screen.getByText(/to correct/).textContent,
  document.querySelectorAll('[aria-invalid="true"]').length,
];

describe('the form of an integration', () => {
  test('counts exactly the fields that it marks, and focuses the first', async () => {
    const { user, call } = open(undefined);
    await user.click(screen.getByRole('radio', { name: /SMTP/ }));
    await user.clear(getInput('Port'));
    await user.type(getInput('Port'), '70000');
    await user.click(screen.getByText('Test connection'));
    expect(getCounts()).toEqual(['4 fields to correct: Name, Host, Port, Sender address', 4]);
    expect(screen.getByText('Port must be at most 65,535.')).toBeTruthy();
    expect(document.activeElement).toBe(getInput('Name'));
    expect(call).not.toHaveBeenCalled();
  });

  test('shows what the server refuses beside its field, by its label', async () => {
    const fields = [
      { path: 'settings.from', problem: 'is missing' },
      { path: 'credentials.pass', problem: 'must be entered again' },
    ];
    const error = 'settings.from is missing';
    const { user } = open(createStored(), { problem: { code: 'invalid', error, fields } });
    await user.click(screen.getByText('Save'));
    expect(screen.getByText('Sender address is missing.')).toBeTruthy();
    expect(screen.getByText('Password must be entered again.')).toBeTruthy();
    expect(getCounts()).toEqual(['2 fields to correct: Sender address, Password', 2]);
    expect(document.body.textContent).not.toMatch(/settings\.|credentials\./);
  });

  test('hides secrets, shows user names, and says when a secret was last changed', () => {
    open(createStored());
    expect([getInput('Password').type, getInput('Password').value]).toEqual(['password', '']);
    expect([getInput('User name').type, getInput('User name').value]).toEqual(['text', 'ana']);
    expect(screen.getByText('last changed 3 days ago')).toBeTruthy();
  });

  test('sends only the credentials that changed; a cleared user name is removed', async () => {
    const { user, call } = open(createStored());
    await user.type(getInput('Host'), '.org');
    await user.click(screen.getByText('Save'));
    const host = 'mail.example.com.org';
    const settings = { host, port: 587, from: { address: 'a@example.com' } };
    const body = { name: 'smtp-main', settings, credentials: {}, updatedAt: 2 };
    const route = 'PUT /api/apps/:appId/integrations/:id';
    expect(call.mock.calls).toEqual([[route, { appId: 'a1', id: 'i1', body }]]);
    await user.clear(getInput('User name'));
    await user.type(getInput('Password'), 'secret');
    await user.click(screen.getByText('Save'));
    expect(call.mock.lastCall?.[1]).toMatchObject({
      body: { credentials: { user: null, pass: 'secret' } },
    });
  });

  test('forgets a secret once it is saved', async () => {
    const { user } = open(createStored());
    await user.type(getInput('Password'), 'secret');
    await user.click(screen.getByText('Save'));
    await screen.findByText(/^Saved\./);
    expect(getInput('Password').value).toBe('');
    await user.click(screen.getByText('Leave'));
    expect(await screen.findByText('Other page')).toBeTruthy();
  });

  test('asks before changes are lost, and names them', async () => {
    const { user } = open(createStored());
    await user.type(getInput('Host'), 'x');
    await user.click(screen.getByText('Leave'));
    expect(screen.getByText('Not saved: Host.')).toBeTruthy();
    expect(screen.getByRole('dialog', { name: /smtp-main/ })).toBeTruthy();
  });

  test('asks before another provider replaces a half-filled form', async () => {
    const { user } = open(undefined);
    await user.click(screen.getByRole('radio', { name: /SMTP/ }));
    await user.type(getInput('Host'), 'mail.example.com');
    await user.click(screen.getByRole('radio', { name: /Firebase/ }));
    expect(getInput('Host').value).toBe('mail.example.com');
    await user.click(screen.getByText('Discard changes'));
    expect(getInput('Service account key').value).toBe('');
  });

  test('hides a long secret, too', async () => {
    const { user } = open(undefined);
    await user.click(screen.getByRole('radio', { name: /Firebase/ }));
    const area = getInput('Service account key');
    expect(area.className).toContain('hidden-text');
    await user.click(screen.getByRole('button', { name: 'Show Service account key' }));
    expect(area.className).not.toContain('hidden-text');
  });

  test('shows the DNS record of an integration that signs, to copy', () => {
    const dnsRecord = { name: 'belfry._domainkey.example.com', value: 'v=DKIM1; k=rsa; p=AB' };
    open({ ...createStored(), dnsRecord });
    const inputs = ['Name', 'Value'].map((part) => getInput(`${part} of the TXT record for DKIM`));
    expect(inputs.map(({ value, readOnly }) => [value, readOnly])).toEqual([
      [dnsRecord.name, true],
      [dnsRecord.value, true],
    ]);
    expect(screen.getByRole('button', { name: 'Copy the value of the TXT record' })).toBeTruthy();
  });

  test('cannot be changed by a viewer', () => {
    open(createStored(), {}, { ...session, mayChange: false });
    expect(getInput('Host').matches(':disabled')).toBe(true);
    expect(screen.queryByText('Save')).toBeNull();
  });
});

describe('a connection test', () => {
  const testForm = 'POST /api/apps/:appId/integrations/test';
  const testStored = 'POST /api/apps/:appId/integrations/:id/test';
  const detail = 'mail.example.com:587 refused the connection.';
  const failed = { value: { isWorking: false, detail, tookMs: 12, testedAt: 0 } };
  const listRoutes = (call: jest.Mock) => call.mock.calls.map(([route]) => route);

  test('of unsaved settings says so, and that the saved integration was not tested', async () => {
    const { user, call, onChanged } = open(createStored(), failed);
    await user.type(getInput('Host'), '.org');
    await user.click(screen.getByText('Test connection'));
    expect(await screen.findByText(/^Test of the unsaved settings at .*: failed\.$/)).toBeTruthy();
    expect(screen.getByText(`${detail} The saved integration was not tested.`)).toBeTruthy();
    expect(listRoutes(call)).toEqual([testForm]);
    expect(onChanged).not.toHaveBeenCalled();
  });

  test('of an unchanged or only renamed form is of the saved integration, and its health follows', async () => {
    const { user, call, onChanged } = open(createStored(), failed);
    await user.type(getInput('Name'), '-2');
    await user.click(screen.getByText('Test connection'));
    expect(await screen.findByText(/^Test at .*: failed\.$/)).toBeTruthy();
    expect(screen.getByText(detail)).toBeTruthy();
    expect(call.mock.calls).toEqual([[testStored, { appId: 'a1', id: 'i1' }]]);
    expect(onChanged).toHaveBeenCalledTimes(1);
  });

  test('of settings that are saved next is repeated for the saved integration', async () => {
    const { user, call } = open(createStored(), failed);
    await user.type(getInput('Host'), '.org');
    await user.click(screen.getByText('Test connection'));
    await screen.findByText(/failed\.$/);
    call.mockResolvedValueOnce({ value: createStored() });
    await user.click(screen.getByText('Save'));
    await screen.findByText(/^Saved\./);
    const save = 'PUT /api/apps/:appId/integrations/:id';
    expect(listRoutes(call)).toEqual([testForm, save, testStored]);
  });

  test('of other settings than the ones saved next is not repeated', async () => {
    const { user, call } = open(createStored(), failed);
    await user.type(getInput('Host'), '.org');
    await user.click(screen.getByText('Test connection'));
    await screen.findByText(/failed\.$/);
    await user.type(getInput('Host'), '.uk');
    call.mockResolvedValueOnce({ value: createStored() });
    await user.click(screen.getByText('Save'));
    await screen.findByText(/^Saved\./);
    expect(listRoutes(call)).not.toContain(testStored);
  });
});
