import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { SessionAnswer } from '../../api/session';
import { type Services, ServicesContext } from '../context';
import { SignInPage } from './sign-in-page';

afterEach(cleanup);

const connection = { kind: 'plain', version: '1', gatewayUrl: 'http://127.0.0.1' } as const;
const needsCode = { problem: { code: 'needs_code', error: 'Enter a code.' } };
const wrongCode = {
  problem: {
    code: 'wrong_code',
    error: 'It is wrong.',
    fields: [{ path: 'code', problem: 'is wrong' }],
  },
};
const chooseAccount = {
  problem: {
    code: 'choose_account',
    error: 'Choose one.',
    accounts: [{ id: 'a1', name: 'Shop' }],
  },
};
const signedIn = { value: { state: 'signed_in' } };

/** Signs in with an address and a password; the server gives these answers in turn. */
async function signIn(...answers: object[]) {
  const page = open(...answers);
  await page.user.type(screen.getByLabelText('E-mail'), credentials.email);
  await page.user.type(screen.getByLabelText('Password'), `${credentials.password}{Enter}`);
  return page;
}

function open(...answers: object[]) {
  const call = jest.fn<Promise<object>, [string, { body: object }]>();
  for (const answer of answers) call.mockResolvedValueOnce(answer);
  const onDone = jest.fn<void, [SessionAnswer]>();
  const user = userEvent.setup();
  render(
    <ServicesContext value={{ api: { call } } as unknown as Services}>
      <SignInPage
        session={{ state: 'signed_out', needsSetUp: false, connection }}
        hasEnded={false}
        onDone={onDone}
      />
    </ServicesContext>,
  );
  const listBodies = () => call.mock.calls.map(([, { body }]) => body);
  return { user, onDone, listBodies };
}

const credentials = { email: 'ana@example.com', password: 'her password' };

describe('a sign-in with two steps', () => {
  test('asks for a code in a focused field, and sends it with the password', async () => {
    const { user, onDone, listBodies } = await signIn(needsCode, signedIn);
    const field = await screen.findByLabelText('Code');
    expect(document.activeElement).toBe(field);
    expect(screen.queryByRole('alert')).toBeNull();
    await user.keyboard('123456{Enter}');
    expect(listBodies()).toEqual([credentials, { ...credentials, code: '123456' }]);
    expect(onDone).toHaveBeenCalledWith(signedIn.value);
  });

  test('shows a wrong code beside the field, until the next code is typed', async () => {
    const { user } = await signIn(needsCode, wrongCode);
    const field = await screen.findByLabelText('Code');
    await user.keyboard('123456{Enter}');
    const hint = await screen.findByText('Code is wrong.');
    expect(field.getAttribute('aria-describedby')).toBe(hint.id);
    await user.clear(field);
    expect(screen.queryByText('Code is wrong.')).toBeNull();
  });

  test('asks for an empty code in words, and sends nothing', async () => {
    const { user, listBodies } = await signIn(needsCode);
    await screen.findByLabelText('Code');
    await user.keyboard('{Enter}');
    expect(await screen.findByText('Enter a code.')).toBeTruthy();
    expect(listBodies()).toHaveLength(1);
  });

  test('accepts a recovery code instead', async () => {
    const { user, listBodies } = await signIn(needsCode, signedIn);
    await user.click(await screen.findByText('Use a recovery code'));
    expect(document.activeElement).toBe(screen.getByLabelText('Recovery code'));
    await user.keyboard('abcd-efgh{Enter}');
    expect(listBodies()[1]).toEqual({ ...credentials, code: 'abcd-efgh' });
  });

  test('keeps the chosen account while it asks for the code', async () => {
    const { user, listBodies } = await signIn(chooseAccount, needsCode, signedIn);
    await user.click(await screen.findByText('Sign in to Shop'));
    await screen.findByLabelText('Code');
    await user.keyboard('123456{Enter}');
    expect(listBodies()[2]).toEqual({ ...credentials, accountId: 'a1', code: '123456' });
  });

  test('goes back to address and password', async () => {
    const { user } = await signIn(needsCode);
    await user.click(await screen.findByText('Back'));
    expect(screen.getByLabelText('E-mail')).toHaveProperty('value', credentials.email);
  });
});

describe('the sign-in form', () => {
  test('asks for both fields in words, and focuses the first', async () => {
    const { user, listBodies } = open();
    await user.click(screen.getByRole('button', { name: /Sign in/ }));
    expect(screen.getByText('Enter your e-mail address.')).toBeTruthy();
    expect(screen.getByText('Enter your password.')).toBeTruthy();
    expect(document.activeElement).toBe(screen.getByLabelText('E-mail'));
    expect(listBodies()).toEqual([]);
  });

  test('shows a refusal and keeps what was entered', async () => {
    const error = 'The e-mail address or the password is wrong.';
    const { onDone } = await signIn({ problem: { code: 'wrong_credentials', error } });
    expect(screen.getByRole('alert').textContent).toBe(error);
    expect(screen.getByLabelText<HTMLInputElement>('E-mail').value).toBe(credentials.email);
    expect(onDone).not.toHaveBeenCalled();
  });

  test.each([
    ['nobody', '', 'EMAIL'],
    ['a plain address', 'ana@example.com', 'ana@example.com'],
    ['an address that a shell would read', '$(id)@example.com', 'EMAIL'],
  ])('says how a forgotten password is reset, for %s', async (_who, typed, shown) => {
    const { user } = open();
    if (typed) await user.type(screen.getByLabelText('E-mail'), typed);
    await user.click(screen.getByText('Forgot your password?'));
    expect(screen.getByText(`belfry operator reset ${shown}`)).toBeTruthy();
  });
});
