import { resetOperator } from '@belfry/database';
import { newId } from '@belfry/runtime';
import request from 'supertest';
import {
  createStoredDashboard,
  listOperatorEntries,
  type Neighbour,
  password,
  type StoredDashboard,
} from './stored-dashboard.fixture';
import { addTotp, createCode, stepMs } from './totp.fixture';

jest.setTimeout(60_000);

let dashboard: StoredDashboard;
let passedMs = 0;
const wrongCode = '00000000';

beforeAll(async () => {
  const { now } = Date;
  jest.spyOn(Date, 'now').mockImplementation(() => now() + passedMs);
  dashboard = await createStoredDashboard();
});

afterAll(async () => {
  await dashboard.close();
  jest.restoreAllMocks();
});

/** Waits for the next code of the app, because each works once. */
function nextCode(secret: string): string {
  passedMs += stepMs;
  return createCode(secret);
}

function post(path: string, body: object, cookie = '') {
  const headers = { Origin: dashboard.url, ...(cookie && { Cookie: cookie }) };
  return request(dashboard.url).post(path).set(headers).send(body);
}

const signIn = (email: string, code?: string, cookie?: string) =>
  post('/api/session', { email, password, ...(code !== undefined && { code }) }, cookie);

async function createOperator() {
  const neighbour = await dashboard.createNeighbour();
  return { ...neighbour, ...(await addTotp(neighbour.call)) };
}

async function readOutcome(answer: PromiseLike<request.Response>): Promise<string> {
  const { body } = await answer;
  return body.state ?? body.code;
}

async function countCodes({ call }: Pick<Neighbour, 'call'>): Promise<number> {
  return (await call('get', 'totp')).body.recoveryCodesLeft;
}

async function listActions(neighbour: Neighbour): Promise<string[]> {
  return (await listOperatorEntries(neighbour)).map(({ action }) => action);
}

describe('a sign-in with two steps', () => {
  test('asks for a code after the right password, and starts no session before', async () => {
    const { email } = await createOperator();
    const answer = await signIn(email);
    expect([answer.status, answer.body.code]).toEqual([401, 'needs_code']);
    expect(answer.get('Set-Cookie')).toBeUndefined();
  });

  test('answers a wrong password like that of an operator without a second step', async () => {
    const { email } = await createOperator();
    const other = await dashboard.createNeighbour();
    const guess = async (address: string) => {
      const body = { email: address, password: 'a guess', code: wrongCode };
      const { status, body: answer } = await post('/api/session', body);
      return [status, answer.code, answer.error];
    };
    expect(await guess(email)).toEqual(await guess(other.email));
  });

  test('accepts each code of the app once, and none of an earlier time step', async () => {
    const { email, secret } = await createOperator();
    const earlier = createCode(secret, Date.now() + stepMs);
    passedMs += stepMs;
    const code = nextCode(secret);
    expect(await readOutcome(signIn(email, code))).toBe('signed_in');
    expect(await readOutcome(signIn(email, code))).toBe('wrong_code');
    expect(await readOutcome(signIn(email, earlier))).toBe('wrong_code');
    expect(await readOutcome(signIn(email, nextCode(secret)))).toBe('signed_in');
  });

  test('does not accept the code that added the app', async () => {
    const { call, email } = await dashboard.createNeighbour();
    const { secret } = (await call('post', 'totp', { password })).body;
    const code = createCode(secret);
    await call('post', 'totp/confirm', { code });
    expect(await readOutcome(signIn(email, code))).toBe('wrong_code');
  });

  test.each(['code of the app', 'recovery code'])(
    'accepts a %s for one of two concurrent calls',
    async (kind) => {
      const { email, secret, recoveryCodes } = await createOperator();
      const code = kind === 'recovery code' ? recoveryCodes[0] : nextCode(secret);
      const outcomes = await Promise.all([1, 2].map(() => readOutcome(signIn(email, code))));
      expect(outcomes.sort()).toEqual(['signed_in', 'wrong_code']);
    },
  );

  test('accepts each of ten recovery codes once, in any spelling, and records that', async () => {
    const operator = await createOperator();
    const { email, recoveryCodes } = operator;
    expect(recoveryCodes).toHaveLength(10);
    const [first = '', second = ''] = recoveryCodes;
    expect(first).toMatch(/^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/);
    expect(await readOutcome(signIn(email, first))).toBe('signed_in');
    expect(await readOutcome(signIn(email, first))).toBe('wrong_code');
    const plain = ` ${second.replaceAll('-', '').toUpperCase()}`;
    expect(await readOutcome(signIn(email, plain))).toBe('signed_in');
    expect(await countCodes(operator)).toBe(8);
    const used = (await listActions(operator)).filter(
      (action) => action === 'operator.recovery_code_used',
    );
    expect(used).toHaveLength(2);
  });

  test('accepts no recovery code of another operator', async () => {
    const [one, other] = [await createOperator(), await createOperator()];
    expect(await readOutcome(signIn(one.email, other.recoveryCodes[0]))).toBe('wrong_code');
    expect(await readOutcome(signIn(other.email, other.recoveryCodes[0]))).toBe('signed_in');
  });

  test('asks for the account first, then for the code of that account', async () => {
    const [a, b] = [await createOperator(), await dashboard.createNeighbour()];
    await dashboard.database.prisma.operator.updateMany({
      where: { email: b.email },
      data: { email: a.email },
    });
    const choice = await signIn(a.email);
    expect(choice.body.code).toBe('choose_account');
    const choose = (accountId: string, code?: string) =>
      readOutcome(post('/api/session', { email: a.email, password, accountId, code }));
    expect(await choose(a.tenant.accountId)).toBe('needs_code');
    expect(await choose(a.tenant.accountId, nextCode(a.secret))).toBe('signed_in');
    expect(await choose(b.tenant.accountId)).toBe('signed_in');
  });
});

describe('guessing codes with the right password', () => {
  test('is limited per operator: a burst of ten, whatever happens in between', async () => {
    const { email, secret } = await createOperator();
    const outcomes: string[] = [];
    for (let count = 0; count < 12; count += 1) {
      expect(await readOutcome(signIn(email))).toBe('needs_code');
      outcomes.push(await readOutcome(signIn(email, wrongCode)));
    }
    expect(outcomes).toEqual([...Array(10).fill('wrong_code'), 'too_many_tries', 'too_many_tries']);
    const refusal = await signIn(email, createCode(secret));
    expect([refusal.status, Number(refusal.headers['retry-after']) > 0]).toEqual([429, true]);
    passedMs += 15 * 60_000;
    expect(await readOutcome(signIn(email, createCode(secret)))).toBe('signed_in');
    expect(await readOutcome(signIn(email, wrongCode))).toBe('wrong_code');
    expect(await readOutcome(signIn(email, wrongCode))).toBe('too_many_tries');
  });

  test('counts attempts that arrive at once', async () => {
    const { email } = await createOperator();
    const outcomes: string[] = [];
    // At most ten at once, so that the limit of passwords refuses none.
    for (let round = 0; round < 2; round += 1) {
      const calls = Array.from({ length: 6 }, () => readOutcome(signIn(email, wrongCode)));
      outcomes.push(...(await Promise.all(calls)));
    }
    expect(outcomes.filter((outcome) => outcome === 'wrong_code')).toHaveLength(10);
    expect(outcomes.filter((outcome) => outcome === 'too_many_tries')).toHaveLength(2);
  });

  test('does not lock out a browser in which the operator signed in before', async () => {
    const { email, secret } = await createOperator();
    const signedIn = await signIn(email, nextCode(secret));
    const device = (signedIn.get('Set-Cookie') ?? []).find((one) => one.includes('_device_'));
    for (let count = 0; count < 11; count += 1) await signIn(email, wrongCode);
    const code = nextCode(secret);
    expect(await readOutcome(signIn(email, code))).toBe('too_many_tries');
    expect(await readOutcome(signIn(email, code, device?.split(';')[0]))).toBe('signed_in');
  });

  test('is limited in a session, too', async () => {
    const { call } = await createOperator();
    const codes: string[] = [];
    for (let count = 0; count < 11; count += 1) {
      codes.push((await call('delete', 'totp', { password, code: wrongCode })).body.code);
    }
    expect(codes).toEqual([...Array(10).fill('wrong_code'), 'too_many_tries']);
  });
});

describe('adding an app', () => {
  test('needs the password and a code, and a sign-in asks for no code before', async () => {
    const operator = await dashboard.createNeighbour();
    const { call, email } = operator;
    expect((await call('post', 'totp', { password: 'stolen session' })).body.code).toBe(
      'wrong_password',
    );
    expect((await call('post', 'totp/confirm', { code: wrongCode })).body.code).toBe('wrong_state');
    const { secret, uri } = (await call('post', 'totp', { password })).body;
    expect(new URL(uri).searchParams.get('secret')).toBe(secret);
    expect((await call('post', 'totp/confirm', { code: wrongCode })).body.code).toBe('wrong_code');
    expect((await call('get', 'totp')).body).toEqual({ addedAt: null, recoveryCodesLeft: 0 });
    expect(await readOutcome(signIn(email))).toBe('signed_in');
    expect(await listActions(operator)).toEqual([]);
  });

  test('confirms only the newest secret', async () => {
    const { call } = await dashboard.createNeighbour();
    const older = (await call('post', 'totp', { password })).body.secret;
    const newer = (await call('post', 'totp', { password })).body.secret;
    const confirm = async (secret: string) =>
      (await call('post', 'totp/confirm', { code: createCode(secret) })).status;
    expect([await confirm(older), await confirm(newer)]).toEqual([403, 200]);
    // The first answer may have been lost.
    const again = (await call('post', 'totp/confirm', { code: createCode(newer) })).body;
    expect(again).toMatchObject({
      code: 'wrong_state',
      error: expect.stringContaining('already on'),
    });
  });

  test('ends the other sessions, is recorded, and is not possible twice', async () => {
    const operator = await dashboard.createNeighbour();
    const elsewhere = await operator.signInAgain();
    await addTotp(operator.call);
    expect((await elsewhere('get', 'apps')).body.code).toBe('signed_out');
    expect((await operator.call('get', 'totp')).body).toEqual({
      addedAt: expect.any(Number),
      recoveryCodesLeft: 10,
    });
    expect((await operator.call('post', 'totp', { password })).body.code).toBe('wrong_state');
    expect(await listActions(operator)).toEqual(['operator.totp_added']);
  });

  test('stores neither the secret nor a recovery code in plain text', async () => {
    const operator = await createOperator();
    const { secret, recoveryCodes, tenant } = operator;
    const { rows } = await dashboard.database.lookUps.query(
      `SELECT row_to_json(t)::text || coalesce((SELECT json_agg(a)::text FROM audit_entry a WHERE a.account_id = $1), '') AS row
       FROM operator_totp t JOIN operator o ON o.id = t.operator_id WHERE o.account_id = $1`,
      [tenant.accountId],
    );
    expect(rows).toHaveLength(1);
    const text = JSON.stringify(rows).toLowerCase();
    for (const plain of [secret.toLowerCase(), ...recoveryCodes]) expect(text).not.toContain(plain);
  });
});

describe('new recovery codes', () => {
  test('need the password and a code, and replace the earlier ones', async () => {
    const operator = await createOperator();
    const { call, email, secret, recoveryCodes } = operator;
    const create = (body: object) => call('post', 'totp/recovery-codes', body);
    const code = nextCode(secret);
    expect((await create({ password: 'a guess', code })).body.code).toBe('wrong_password');
    expect((await create({ password, code: wrongCode })).body.code).toBe('wrong_code');
    const [fresh] = (await create({ password, code })).body.recoveryCodes;
    expect(await readOutcome(signIn(email, recoveryCodes[0]))).toBe('wrong_code');
    expect(await readOutcome(signIn(email, fresh))).toBe('signed_in');
    expect(await countCodes(operator)).toBe(9);
  });

  test('are not created while two-step sign-in is off', async () => {
    const { call } = await dashboard.createNeighbour();
    const { body } = await call('post', 'totp/recovery-codes', { password, code: wrongCode });
    expect(body.code).toBe('wrong_state');
  });
});

describe('removing the app', () => {
  test('needs the password and a code, ends the other sessions, and is recorded', async () => {
    const operator = await createOperator();
    const { call, email, secret } = operator;
    const elsewhere = await operator.signInAgain();
    const code = nextCode(secret);
    const remove = (body: object) => call('delete', 'totp', body);
    expect((await remove({ password: 'a guess', code })).body.code).toBe('wrong_password');
    expect((await remove({ password, code: wrongCode })).body.code).toBe('wrong_code');
    expect((await remove({ password, code })).status).toBe(200);
    expect((await call('get', 'apps')).status).toBe(200);
    expect((await elsewhere('get', 'apps')).body.code).toBe('signed_out');
    expect(await readOutcome(signIn(email))).toBe('signed_in');
    expect(await listActions(operator)).toEqual(['operator.totp_removed', 'operator.totp_added']);
  });

  test('is possible with a recovery code', async () => {
    const { call, recoveryCodes } = await createOperator();
    const answer = await call('delete', 'totp', { password, code: recoveryCodes[9] });
    expect(answer.status).toBe(200);
  });
});

/** A second owner in the account, with a session. */
async function join(owner: Neighbour) {
  const email = `${newId()}@example.com`;
  const invite = { email, role: 'owner', password };
  const { token } = (await owner.call('post', 'people/invitations', invite)).body;
  const joined = await post('/api/set-up', { token, email, password });
  const cookie = (joined.get('Set-Cookie') ?? []).find((one) => one.startsWith('belfry_session='));
  const call: Neighbour['call'] = async (method, path, body) =>
    request(dashboard.url)
      [method](`/api/${path}`)
      .set({ Origin: dashboard.url, Cookie: cookie?.split(';')[0] ?? '' })
      .send(body);
  return { id: String(joined.body.operator.id), email, call };
}

describe('an owner', () => {
  test('resets the two-step sign-in of another person, which ends their sessions', async () => {
    const owner = await dashboard.createNeighbour();
    const person = await join(owner);
    await addTotp(person.call);
    const list = (await owner.call('get', 'people')).body.people;
    expect(list.find(({ id }: { id: string }) => id === person.id).hasTotp).toBe(true);
    const reset = (secretWord: string) =>
      owner.call('delete', `people/${person.id}/totp`, { password: secretWord });
    expect((await reset('stolen session')).body.code).toBe('wrong_password');
    expect((await reset(password)).status).toBe(200);
    expect((await person.call('get', 'apps')).body.code).toBe('signed_out');
    expect(await readOutcome(signIn(person.email))).toBe('signed_in');
    expect((await reset(password)).body.code).toBe('wrong_state');
    const [entry] = await listOperatorEntries(owner);
    expect(entry).toMatchObject({
      action: 'operator.totp_reset',
      operator: owner.email,
      subject: person.id,
    });
  });

  test('cannot remove their own second step without a code', async () => {
    const owner = await createOperator();
    const { people } = (await owner.call('get', 'people')).body;
    const { body } = await owner.call('delete', `people/${people[0].id}/totp`, { password });
    expect(body.code).toBe('wrong_state');
    expect(await readOutcome(signIn(owner.email))).toBe('needs_code');
  });

  test('who invites a removed person again gets one without the old app', async () => {
    const owner = await dashboard.createNeighbour();
    const person = await join(owner);
    await addTotp(person.call);
    await owner.call('delete', `people/${person.id}`, { password });
    const invite = { email: person.email, role: 'viewer', password };
    const { token } = (await owner.call('post', 'people/invitations', invite)).body;
    expect(await readOutcome(post('/api/set-up', { ...person, token, password }))).toBe(
      'signed_in',
    );
  });
});

test('a link for a new password sets it, but does not replace the second step', async () => {
  const { email, secret } = await createOperator();
  const reset = await resetOperator(dashboard.database.lookUps, { email });
  if (!reset || 'accounts' in reset) throw new Error('No link was created');
  const newPassword = 'another sentence of theirs';
  const { token } = reset;
  const answer = await post('/api/set-up', { token, email, password: newPassword });
  expect([answer.status, answer.body.state]).toEqual([200, 'signed_out']);
  expect(answer.get('Set-Cookie')).toBeUndefined();
  const body = { email, password: newPassword };
  expect(await readOutcome(post('/api/session', body))).toBe('needs_code');
  const code = nextCode(secret);
  expect(await readOutcome(post('/api/session', { ...body, code }))).toBe('signed_in');
});
