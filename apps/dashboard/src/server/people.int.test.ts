import crypto from 'node:crypto';
import { newId } from '@belfry/runtime';
import request from 'supertest';
import {
  createStoredDashboard,
  listOperatorEntries,
  type Neighbour,
  password,
  type StoredDashboard,
} from './stored-dashboard.fixture';

jest.setTimeout(30_000);

let dashboard: StoredDashboard;

beforeAll(async () => {
  dashboard = await createStoredDashboard();
});

afterAll(() => dashboard.close());

const address = () => `${newId()}@example.com`;

function post(path: string, body: object) {
  return request(dashboard.url).post(path).set('Origin', dashboard.url).send(body);
}

async function invite({ call }: Pick<Neighbour, 'call'>, role = 'editor', email = address()) {
  const { status, body } = await call('post', 'people/invitations', { email, role, password });
  expect([status, body.error]).toEqual([200, undefined]);
  return { email, token: String(body.token), expiresAt: Number(body.expiresAt), body };
}

/** Joins by an invitation and makes calls with that session. */
async function join(owner: Pick<Neighbour, 'call'>, role: string) {
  const { email, token } = await invite(owner, role);
  const agent = request.agent(dashboard.url);
  const joined = await agent
    .post('/api/set-up')
    .set('Origin', dashboard.url)
    .send({ token, email, password });
  expect([joined.status, joined.body.operator.role]).toEqual([200, role]);
  const read = () => agent.get('/api/people');
  const send = (method: 'patch' | 'delete', id: string, body: object) =>
    agent[method](`/api/people/${id}`).set('Origin', dashboard.url).send(body);
  return { id: String(joined.body.operator.id), email, read, send };
}

async function getOwnId({ call }: Neighbour): Promise<string> {
  const { people } = (await call('get', 'people')).body;
  return people.find((one: { isYou: boolean }) => one.isYou).id;
}

describe('an invitation', () => {
  test('admits its address once, within 72 hours, with its role', async () => {
    const owner = await dashboard.createNeighbour();
    const { email, token, expiresAt } = await invite(owner, 'viewer');
    expect(expiresAt - Date.now()).toBeGreaterThan(71.9 * 3_600_000);
    expect(expiresAt - Date.now()).toBeLessThan(72.1 * 3_600_000);
    const look = await post('/api/set-up/look', { token });
    expect(look.body).toMatchObject({ kind: 'invite', email, role: 'viewer' });
    // The address comes from the invitation, not from the form.
    const joined = await post('/api/set-up', { token, email: address(), password });
    expect(joined.body).toMatchObject({ operator: { email, role: 'viewer' } });
    const again = await post('/api/set-up', { token, email, password });
    expect([again.status, again.body.code]).toEqual([410, 'link_ended']);
    const { body } = await owner.call('get', 'people');
    expect(body.invitations).toEqual([]);
    expect(body.people.map((one: { email: string }) => one.email)).toContain(email);
  });

  test('works for one of two concurrent uses', async () => {
    const { email, token } = await invite(await dashboard.createNeighbour());
    const both = await Promise.all(
      [1, 2].map(() => post('/api/set-up', { token, email, password })),
    );
    expect(both.map(({ status }) => status).sort()).toEqual([200, 410]);
  });

  test('is stored as a hash, and its token is returned once', async () => {
    const owner = await dashboard.createNeighbour();
    const { token } = await invite(owner);
    const { rows } = await dashboard.database.lookUps.query(
      'SELECT row_to_json(i)::text AS row FROM invitation i WHERE account_id = $1',
      [owner.tenant.accountId],
    );
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(JSON.stringify((await owner.call('get', 'people')).body)).not.toContain(token);
    expect(JSON.stringify((await owner.call('get', 'audit')).body)).not.toContain(token);
  });

  test('becomes invalid when it is revoked, replaced or expired', async () => {
    const owner = await dashboard.createNeighbour();
    const looks = async (token: string) => (await post('/api/set-up/look', { token })).status;
    const older = await invite(owner);
    const newer = await invite(owner, 'viewer', older.email);
    expect([await looks(older.token), await looks(newer.token)]).toEqual([410, 200]);
    const [{ id }] = newer.body.people.invitations;
    expect((await owner.call('delete', `people/invitations/${id}`)).status).toBe(200);
    expect(await looks(newer.token)).toBe(410);
    expect((await owner.call('delete', `people/invitations/${id}`)).status).toBe(404);
    const late = await invite(owner);
    await dashboard.database.lookUps.query(
      `UPDATE invitation SET expires_at = now() - interval '1 ms' WHERE email = $1`,
      [late.email],
    );
    expect(await looks(late.token)).toBe(410);
  });

  test('is not created for an existing operator or without the password', async () => {
    const owner = await dashboard.createNeighbour();
    const body = { email: owner.email.toUpperCase(), role: 'editor', password };
    const response = await owner.call('post', 'people/invitations', body);
    expect([response.status, response.body.fields[0].path]).toEqual([409, 'email']);
    const invitation = { email: address(), role: 'editor', password: 'stolen session' };
    const refusal = await owner.call('post', 'people/invitations', invitation);
    expect(refusal.body.code).toBe('wrong_password');
    const odd = { email: address(), role: 'admin', password };
    expect((await owner.call('post', 'people/invitations', odd)).body.fields[0].path).toBe('role');
  });

  test('cannot be used by another account', async () => {
    const owner = await dashboard.createNeighbour();
    const { body } = await invite(owner);
    const [{ id }] = body.people.invitations;
    const stranger = await dashboard.createNeighbour();
    expect((await stranger.call('delete', `people/invitations/${id}`)).status).toBe(404);
    const theirs = await getOwnId(owner);
    const removal = await stranger.call('delete', `people/${theirs}`, { password });
    expect(removal.status).toBe(404);
  });
});

/** An invited operator of the owner's account with a separate password. */
async function admit(owner: Pick<Neighbour, 'call'>, email: string, own: string) {
  const { token } = await invite(owner, 'editor', email);
  const { status, body } = await post('/api/set-up', { token, email, password: own });
  expect([status, body.error]).toEqual([200, undefined]);
  return { id: String(body.operator.id), accountId: String(body.account.id) };
}

describe('an address in several accounts', () => {
  const [onePassword, otherPassword] = ['one sentence of theirs', 'another sentence of theirs'];

  test('is a separate operator in each, whoever existed or was removed', async () => {
    const [a, b] = [await dashboard.createNeighbour(), await dashboard.createNeighbour()];
    const email = address();
    const first = await admit(a, email, onePassword);
    await a.call('delete', `people/${first.id}`, { password });
    const second = await admit(b, email, otherPassword);
    expect(second.id).not.toBe(first.id);
    const back = await admit(a, email, onePassword);
    expect(back).toEqual(first);
    const { people } = (await b.call('get', 'people')).body;
    expect(people.map(({ id }: { id: string }) => id)).toContain(second.id);
  });

  test('is invited the same way whether or not another account has it', async () => {
    const [a, b] = [await dashboard.createNeighbour(), await dashboard.createNeighbour()];
    const sendInvitation = async (email: string) => {
      const body = { email, role: 'editor', password };
      const invited = await b.call('post', 'people/invitations', body);
      const { token } = invited.body;
      const look = await post('/api/set-up/look', { token });
      const used = await post('/api/set-up', { token, email, password: otherPassword });
      return [invited.status, look.status, used.status, Object.keys(used.body)];
    };
    expect(await sendInvitation(a.email)).toEqual(await sendInvitation(address()));
  });

  test('signs in with the password of each account, and each keeps its own', async () => {
    const [a, b] = [await dashboard.createNeighbour(), await dashboard.createNeighbour()];
    const email = address();
    const inA = await admit(a, email, onePassword);
    const inB = await admit(b, email, otherPassword);
    for (const [own, { accountId }] of [
      [onePassword, inA] as const,
      [otherPassword, inB] as const,
    ]) {
      const { body } = await post('/api/session', { email, password: own });
      expect(body).toMatchObject({ state: 'signed_in', account: { id: accountId } });
    }
    const crossed = { email, password: onePassword, accountId: inB.accountId };
    expect((await post('/api/session', crossed)).body.code).toBe('wrong_credentials');
  });

  test('must choose the account if the passwords are equal', async () => {
    const [a, b] = [await dashboard.createNeighbour(), await dashboard.createNeighbour()];
    const email = address();
    const inA = await admit(a, email, onePassword);
    const inB = await admit(b, email, onePassword);
    const response = await post('/api/session', { email, password: onePassword });
    expect([response.status, response.body.code]).toEqual([409, 'choose_account']);
    const accounts = response.body.accounts.map(({ id }: { id: string }) => id);
    expect(accounts).toEqual([inA.accountId, inB.accountId]);
    expect(response.get('Set-Cookie')).toBeUndefined();
    const session = await post('/api/session', { email, password: onePassword, ...inB });
    expect(session.body.account.id).toBe(inB.accountId);
    const wrongPassword = await post('/api/session', { email, password: 'wrong', ...inB });
    expect([wrongPassword.status, wrongPassword.body.accounts]).toEqual([401, undefined]);
  });

  test('costs one slow hash per sign-in, for any number of accounts', async () => {
    const email = address();
    for (let count = 0; count < 3; count += 1) {
      await admit(await dashboard.createNeighbour(), email, `${onePassword} ${count}`);
    }
    const derive = jest.spyOn(crypto, 'scrypt');
    const trySignIn = async (tries: { email: string; password: string }) => {
      derive.mockClear();
      const { status } = await post('/api/session', tries);
      return [status, derive.mock.calls.length];
    };
    expect(await trySignIn({ email, password: `${onePassword} 2` })).toEqual([200, 1]);
    expect(await trySignIn({ email, password: 'wrong' })).toEqual([401, 1]);
    expect(await trySignIn({ email: address(), password: 'wrong' })).toEqual([401, 1]);
    derive.mockRestore();
  });

  test('keeps one salt when several accounts add it at once', async () => {
    const email = address();
    const owners = [await dashboard.createNeighbour(), await dashboard.createNeighbour()];
    await Promise.all(owners.map((owner) => admit(owner, email, onePassword)));
    const { rows } = await dashboard.database.lookUps.query(
      `SELECT DISTINCT split_part(password_hash, '$', 3) AS salt FROM operator WHERE email = $1`,
      [email],
    );
    expect(rows).toHaveLength(1);
  });
});

describe('a removed person', () => {
  test('loses all sessions and invitations at once', async () => {
    const owner = await dashboard.createNeighbour();
    const colleague = await join(owner, 'owner');
    expect((await colleague.read()).status).toBe(200);
    await dashboard.database.lookUps.query(
      `INSERT INTO invitation (token_hash, account_id, kind, email, role, created_by, expires_at)
       VALUES (decode(md5($1), 'hex'), $2, 'invite', $1, 'owner', $3, now() + interval '1 h')`,
      [address(), owner.tenant.accountId, colleague.id],
    );
    const removed = await owner.call('delete', `people/${colleague.id}`, { password });
    expect(removed.body.people).toHaveLength(1);
    expect(removed.body.invitations).toEqual([]);
    expect((await colleague.read()).body.code).toBe('signed_out');
    const signIn = await post('/api/session', { email: colleague.email, password });
    expect(signIn.body.code).toBe('wrong_credentials');
  });

  test('stays named in the audit and can be invited again', async () => {
    const owner = await dashboard.createNeighbour();
    const colleague = await join(owner, 'editor');
    await owner.call('delete', `people/${colleague.id}`, { password });
    const { token } = await invite(owner, 'viewer', colleague.email);
    const back = await post('/api/set-up', { token, email: colleague.email, password });
    expect(back.body).toMatchObject({ operator: { email: colleague.email, role: 'viewer' } });
    const entries = await listOperatorEntries(owner);
    expect(entries.map(({ action }) => action)).toEqual([
      'operator.link_used',
      'invitation.created',
      'operator.removed',
      'operator.link_used',
      'invitation.created',
    ]);
    expect(entries[2]).toMatchObject({
      operator: owner.email,
      change: { email: colleague.email, role: 'editor' },
    });
    expect(entries[3].operator).toBe(colleague.email);
  });
});

describe('the last owner', () => {
  test('can be neither removed nor demoted', async () => {
    const owner = await dashboard.createNeighbour();
    await join(owner, 'editor');
    const id = await getOwnId(owner);
    const removed = await owner.call('delete', `people/${id}`, { password });
    expect([removed.status, removed.body.code]).toEqual([409, 'wrong_state']);
    const demoted = await owner.call('patch', `people/${id}`, { role: 'viewer', password });
    expect([demoted.status, demoted.body.code]).toEqual([409, 'wrong_state']);
    expect((await owner.call('get', 'people')).body.people).toHaveLength(2);
  });

  test.each([
    ['removes the other', 'delete', {}],
    ['makes the other a viewer', 'patch', { role: 'viewer' }],
  ] as const)(
    'remains when each of two owners %s at the same time',
    async (_what, method, body) => {
      const first = await dashboard.createNeighbour();
      const second = await join(first, 'owner');
      const answers = await Promise.all([
        first.call(method, `people/${second.id}`, { ...body, password }),
        second.send(method, await getOwnId(first), { ...body, password }),
      ]);
      expect(answers.map(({ status }) => status === 200).sort()).toEqual([false, true]);
      const { rows } = await dashboard.database.lookUps.query(
        `SELECT 1 FROM operator WHERE account_id = $1 AND role = 'owner' AND disabled_at IS NULL`,
        [first.tenant.accountId],
      );
      expect(rows).toHaveLength(1);
    },
  );

  test('remains when two owners leave at the same time', async () => {
    const first = await dashboard.createNeighbour();
    const second = await join(first, 'owner');
    const answers = await Promise.all([
      first.call('delete', `people/${await getOwnId(first)}`, { password }),
      second.send('delete', second.id, { password }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });
});

describe('a role', () => {
  test('applies from the next call, and a demoted owner loses their invitations', async () => {
    const owner = await dashboard.createNeighbour();
    const colleague = await join(owner, 'owner');
    const changed = await owner.call('patch', `people/${colleague.id}`, {
      role: 'viewer',
      password,
    });
    expect(changed.status).toBe(200);
    const answer = await colleague.send('delete', await getOwnId(owner), { password });
    expect([answer.status, answer.body.code]).toEqual([403, 'not_allowed']);
  });
});
