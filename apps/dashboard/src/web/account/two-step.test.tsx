import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { createQueryClient } from '../answers';
import { type Services, ServicesContext } from '../context';
import { TwoStep } from './two-step';

afterEach(cleanup);

const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
const uri = `otpauth://totp/Belfry:ana?secret=${secret}&issuer=Belfry`;
const wrong = (code: string, path: string) => {
  return { problem: { code, error: 'It is wrong.', fields: [{ path, problem: 'is wrong' }] } };
};
const off = { value: { addedAt: null, recoveryCodesLeft: 0 } };
const on = { value: { addedAt: 0, recoveryCodesLeft: 10 } };

/** The section with these answers by route; a list gives them in turn, its last one for ever. */
function open(answers: Record<string, object[]>) {
  const call = jest.fn(async (route: string, _input?: object) => {
    const left = answers[route] ?? [];
    return left.length > 1 ? left.shift() : left[0];
  });
  render(
    <ServicesContext value={{ api: { call } } as unknown as Services}>
      <QueryClientProvider client={createQueryClient()}>
        <TwoStep />
      </QueryClientProvider>
    </ServicesContext>,
  );
  return { user: userEvent.setup(), call };
}

const dialog = () => within(screen.getByRole('dialog'));

test('two-step sign-in is added with the password and a first code, and shows the recovery codes once', async () => {
  const codes = ['aaaa-bbbb', 'cccc-dddd'];
  const { user, call } = open({
    'GET /api/totp': [off, on],
    'POST /api/totp': [{ value: { secret, uri } }],
    'POST /api/totp/confirm': [wrong('wrong_code', 'code'), { value: { recoveryCodes: codes } }],
  });
  await user.click(await screen.findByText('Add authenticator app'));
  await user.keyboard('her password{Enter}');
  expect(await dialog().findByRole('img', { name: /^QR code/ })).toBeTruthy();
  expect(dialog().getByText(/^JBSW Y3DP /)).toBeTruthy();
  const field = dialog().getByLabelText('Code');
  expect(document.activeElement).toBe(field);
  expect(screen.queryByText('Use a recovery code')).toBeNull();
  await user.keyboard('000000{Enter}');
  const hint = await dialog().findByText('Code is wrong.');
  expect(field.getAttribute('aria-describedby')).toBe(hint.id);
  await user.clear(field);
  await user.keyboard('123456{Enter}');
  expect(await dialog().findByText(/aaaa-bbbb\s+cccc-dddd/)).toBeTruthy();
  await user.click(dialog().getByText('I saved the codes'));
  expect(screen.queryByText(/aaaa-bbbb/)).toBeNull();
  await screen.findByText(/10 recovery codes left/);
  expect(call).toHaveBeenCalledWith('POST /api/totp', { body: { password: 'her password' } });
});

test('two-step sign-in is removed with the password and a code, whose problems are beside their fields', async () => {
  const { user, call } = open({
    'GET /api/totp': [on, off],
    'DELETE /api/totp': [
      wrong('wrong_password', 'password'),
      wrong('wrong_code', 'code'),
      { value: { success: true } },
    ],
  });
  await user.click(await screen.findByText('Remove'));
  await user.type(dialog().getByLabelText('Your password'), 'a');
  await user.type(dialog().getByLabelText('Code'), '123456{Enter}');
  const isBeside = async (label: string, text: string) => {
    const hint = await dialog().findByText(text);
    return dialog().getByLabelText(label).getAttribute('aria-describedby') === hint.id;
  };
  expect(await isBeside('Your password', 'Your password is wrong.')).toBe(true);
  await user.keyboard('{Enter}');
  expect(await isBeside('Code', 'Code is wrong.')).toBe(true);
  await user.keyboard('{Enter}');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await screen.findByText('Add authenticator app');
  const body = { password: 'a', code: '123456' };
  expect(call).toHaveBeenCalledWith('DELETE /api/totp', { body });
});

test('new recovery codes are created with the password and a code', async () => {
  const { user } = open({
    'GET /api/totp': [{ value: { addedAt: 0, recoveryCodesLeft: 1 } }, on],
    'POST /api/totp/recovery-codes': [{ value: { recoveryCodes: ['eeee-ffff'] } }],
  });
  await screen.findByText('Create new recovery codes soon.');
  await user.click(screen.getByText('New recovery codes'));
  await user.type(dialog().getByLabelText('Your password'), 'a');
  await user.type(dialog().getByLabelText('Code'), '123456{Enter}');
  expect(await dialog().findByText('eeee-ffff')).toBeTruthy();
});

test('empty fields are named in words, and the first has the focus', async () => {
  const { user, call } = open({ 'GET /api/totp': [on] });
  await user.click(await screen.findByText('Remove'));
  await user.click(dialog().getByRole('button', { name: 'Remove' }));
  expect(await dialog().findByText('Enter your password.')).toBeTruthy();
  expect(dialog().getByText('Enter a code.')).toBeTruthy();
  expect(document.activeElement).toBe(dialog().getByLabelText('Your password'));
  expect(call).not.toHaveBeenCalledWith('DELETE /api/totp', expect.anything());
});
