import { randomBytes } from 'node:crypto';
import { newId } from '@belfry/runtime';
import { createFactories, type Factories, openDatabase, testDatabase } from '@belfry/testing';
import type { Database } from '../client';
import { type Access, createAccess } from './access';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const times = { idleMs: 2 * hourMs, longestMs: 3 * dayMs };
/** Maximum time of the test between two readings of the clock. */
const toleranceMs = minuteMs / 2;

let database: Database;
let factories: Factories;
let access: Access;

beforeAll(async () => {
  database = openDatabase({ url: (await testDatabase()).url, poolSize: 4 });
  factories = createFactories(database);
  access = createAccess(database.lookUps);
});

afterAll(() => database.close());

type Operator = { id: string; accountId: string; email: string };

async function createOperator(overrides: Partial<Operator> = {}): Promise<Operator> {
  const accountId = overrides.accountId ?? (await factories.createTenant()).accountId;
  const operator = { id: newId(), email: `${newId()}@example.com`, ...overrides, accountId };
  await database.prisma.operator.create({
    data: { ...operator, passwordHash: 'old', role: 'editor' },
  });
  return operator;
}

async function signIn({ id }: Operator, sessionTimes = times): Promise<Buffer> {
  const tokenHash = randomBytes(32);
  await access.createSession(id, tokenHash, sessionTimes);
  return tokenHash;
}

/** Moves the times of a session into the past, and its end to `leftMs` after now. */
function age(
  tokenHash: Buffer,
  { createdMs, seenMs, leftMs }: { createdMs: number; seenMs: number; leftMs: number },
) {
  const ago = (ms: number) => new Date(Date.now() - ms);
  return database.prisma.operatorSession.update({
    where: { tokenHash: new Uint8Array(tokenHash) },
    data: { createdAt: ago(createdMs), lastSeenAt: ago(seenMs), expiresAt: ago(-leftMs) },
  });
}

const use = (tokenHash: Buffer) => access.useSession(tokenHash, times);
const isOpen = async (tokenHash: Buffer) => (await use(tokenHash)) !== undefined;

function expectFromNow(at: Date | undefined, ms: number): void {
  expect(Math.abs(Number(at) - Date.now() - ms)).toBeLessThan(toleranceMs);
}

describe('a session', () => {
  test('ends after its idle time, or after its maximum time when that is shorter', async () => {
    const operator = await createOperator();
    const longestMs = hourMs / 2;
    const session = await use(await signIn(operator));
    expectFromNow(session?.expiresAt, times.idleMs);
    expectFromNow(session?.endsAt, times.longestMs);
    const short = await use(await signIn(operator, { ...times, longestMs }));
    expectFromNow(short?.expiresAt, longestMs);
  });

  test('is renewed by its idle time when it was last seen more than a minute ago', async () => {
    const tokenHash = await signIn(await createOperator());
    await age(tokenHash, { createdMs: hourMs, seenMs: 1.1 * minuteMs, leftMs: hourMs });
    expectFromNow((await use(tokenHash))?.expiresAt, times.idleMs);
    const where = { tokenHash: new Uint8Array(tokenHash) };
    const row = await database.prisma.operatorSession.findUniqueOrThrow({ where });
    expectFromNow(row.expiresAt, times.idleMs);
    expectFromNow(row.lastSeenAt, 0);
  });

  test('is never renewed beyond its maximum time', async () => {
    const tokenHash = await signIn(await createOperator());
    const leftMs = hourMs / 2;
    const createdMs = times.longestMs - leftMs;
    await age(tokenHash, { createdMs, seenMs: 1.1 * minuteMs, leftMs: leftMs / 2 });
    const session = await use(tokenHash);
    expectFromNow(session?.expiresAt, leftMs);
    expectFromNow(session?.endsAt, leftMs);
  });

  test('is written at most once a minute', async () => {
    const tokenHash = await signIn(await createOperator());
    const row = await age(tokenHash, { createdMs: hourMs, seenMs: minuteMs / 2, leftMs: hourMs });
    expect((await use(tokenHash))?.expiresAt).toEqual(row.expiresAt);
    const where = { tokenHash: new Uint8Array(tokenHash) };
    expect(await database.prisma.operatorSession.findUnique({ where })).toEqual(row);
  });

  test('is not found after its end, nor after its operator was disabled', async () => {
    const operator = await createOperator();
    const [ended, open] = [await signIn(operator), await signIn(operator)];
    await age(ended, { createdMs: hourMs, seenMs: hourMs, leftMs: -1 });
    expect([await isOpen(ended), await isOpen(open)]).toEqual([false, true]);
    const { id } = operator;
    await database.prisma.operator.update({ where: { id }, data: { disabledAt: new Date() } });
    expect(await isOpen(open)).toBe(false);
  });

  test('is deleted at a later sign-in of its operator, when it ended longer ago than its maximum time', async () => {
    const [operator, other] = [await createOperator(), await createOperator()];
    const sessions = [await signIn(operator), await signIn(operator), await signIn(other)];
    const ended = { createdMs: 9 * dayMs, seenMs: 9 * dayMs };
    await age(sessions[0]!, { ...ended, leftMs: -times.longestMs - minuteMs });
    await age(sessions[1]!, { ...ended, leftMs: -times.longestMs + minuteMs });
    await age(sessions[2]!, { ...ended, leftMs: -times.longestMs - minuteMs });
    await signIn(operator);
    const tokenHash = { in: sessions.map((hash) => new Uint8Array(hash)) };
    const remainingSessions = await database.prisma.operatorSession.findMany({
      where: { tokenHash },
    });
    const leftHashes = remainingSessions
      .map((row) => Buffer.from(row.tokenHash).toString('hex'))
      .sort();
    expect(leftHashes).toEqual(
      [sessions[1], sessions[2]].map((hash) => hash?.toString('hex')).sort(),
    );
  });

  test('is listed and ended only by its own operator', async () => {
    const [owner, other] = [await createOperator(), await createOperator()];
    const tokenHash = await signIn(owner);
    const id = tokenHash.toString('hex');
    const endAs = ({ id: operatorId, accountId }: Operator) =>
      access.endSessionById({ operatorId, accountId }, id);
    expect(await access.listSessions(other.id)).toEqual([]);
    expect(await access.listSessions(owner.id)).toMatchObject([{ id }]);
    expect([await endAs(other), await isOpen(tokenHash)]).toEqual([false, true]);
    expect([await endAs(owner), await isOpen(tokenHash)]).toEqual([true, false]);
    expect(await access.listSessions(owner.id)).toEqual([]);
  });
});

describe('a new password', () => {
  test('ends every other session of its operator, and no session of another operator', async () => {
    const operator = await createOperator();
    const colleague = await createOperator({ accountId: operator.accountId });
    const [current, other, theirs] = [
      await signIn(operator),
      await signIn(operator),
      await signIn(colleague),
    ];
    await access.changePassword({
      accountId: operator.accountId,
      operatorId: operator.id,
      passwordHash: 'new',
      keptTokenHash: current,
    });
    expect([await isOpen(current), await isOpen(other), await isOpen(theirs)]).toEqual([
      true,
      false,
      true,
    ]);
    expect(await readPasswords(operator, colleague)).toEqual(['new', 'old']);
  });

  test('by a reset link ends every session of its operator, and no session of another operator', async () => {
    const operator = await createOperator();
    const namesake = await createOperator({ email: operator.email });
    const colleague = await createOperator({ accountId: operator.accountId });
    const sessions = [await signIn(operator), await signIn(namesake), await signIn(colleague)];
    const link = await createLink({ kind: 'reset', ...operator });
    expect(await useLink(link)).toEqual({ operatorId: operator.id });
    expect(await Promise.all(sessions.map(isOpen))).toEqual([false, true, true]);
    expect(await readPasswords(operator, namesake, colleague)).toEqual(['new', 'old', 'old']);
  });

  test('cannot be set for a removed operator', async () => {
    const operator = await createOperator();
    const { id } = operator;
    await database.prisma.operator.update({ where: { id }, data: { disabledAt: new Date() } });
    expect(await useLink(await createLink({ kind: 'reset', ...operator }))).toBeUndefined();
    expect(await readPasswords(operator)).toEqual(['old']);
  });
});

describe('a link', () => {
  test('works once, before it expires', async () => {
    const operator = await createOperator();
    const link = await createLink({ kind: 'reset', ...operator });
    const late = await createLink({ kind: 'reset', ...operator, livesMs: -1 });
    expect(await access.findInvitation(link)).toMatchObject({ kind: 'reset' });
    expect(await useLink(link)).toBeDefined();
    for (const ended of [link, late]) {
      expect([await access.findInvitation(ended), await useLink(ended)]).toEqual([
        undefined,
        undefined,
      ]);
    }
  });

  test.each(['setup', 'invite', 'reset'])(
    'of the kind %s is recorded with its kind',
    async (kind) => {
      const { accountId } = await factories.createTenant();
      const email = `${newId()}@example.com`;
      if (kind === 'reset') await createOperator({ accountId, email });
      const used = await useLink(await createLink({ kind, accountId, email }));
      const entries = await database.prisma.auditEntry.findMany({ where: { accountId } });
      const change = { kind, email, role: 'editor' };
      expect(entries.filter(({ subject }) => subject === used?.operatorId)).toMatchObject([
        { action: 'operator.link_used', operatorId: used?.operatorId, change },
      ]);
    },
  );

  test('for the set-up ends when the account gets a newer one, and stays for other accounts and kinds', async () => {
    const [{ accountId }, other] = [await factories.createTenant(), await factories.createTenant()];
    const setUp = async (input: { accountId: string; kind: 'setup' | 'invite' }) => {
      const tokenHash = randomBytes(32);
      await access.createInvitation({ tokenHash, role: 'owner', livesMs: hourMs, ...input });
      return tokenHash;
    };
    const [older, invitation, theirs] = [
      await setUp({ accountId, kind: 'setup' }),
      await setUp({ accountId, kind: 'invite' }),
      await setUp({ accountId: other.accountId, kind: 'setup' }),
    ];
    const newest = await setUp({ accountId, kind: 'setup' });
    await setUp({ accountId, kind: 'invite' });
    const kinds = [];
    for (const link of [older, invitation, theirs, newest]) {
      kinds.push((await access.findInvitation(link))?.kind);
    }
    expect(kinds).toEqual([undefined, 'invite', 'setup', 'setup']);
  });
});

async function createLink({
  kind,
  accountId,
  email,
  livesMs = hourMs,
}: Pick<Operator, 'accountId' | 'email'> & { kind: string; livesMs?: number }): Promise<Buffer> {
  const tokenHash = randomBytes(32);
  const expiresAt = new Date(Date.now() + livesMs);
  await database.prisma.invitation.create({
    data: {
      tokenHash: new Uint8Array(tokenHash),
      accountId,
      kind,
      email,
      role: 'editor',
      expiresAt,
    },
  });
  return tokenHash;
}

const useLink = (tokenHash: Buffer) =>
  access.useInvitation({ tokenHash, email: 'form@example.com', passwordHash: 'new' });

function readPasswords(...operators: Operator[]): Promise<string[]> {
  return Promise.all(
    operators.map(async ({ id }) => {
      const row = await database.prisma.operator.findUniqueOrThrow({ where: { id } });
      return row.passwordHash;
    }),
  );
}
