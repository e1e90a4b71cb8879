import { createHash } from 'node:crypto';
import {
  createAccess,
  createAccountApps,
  createAccountKeys,
  createAppEvents,
  createAppIntegrations,
  createAppUsers,
  createInboxSecrets,
  createOperatorTotp,
  createPeople,
  createSavedFilters,
  createSuppressions,
  findSealedSecrets,
  readAuditNames,
  readAuditPage,
  resetOperator,
  resetOperatorTotp,
  writeIntegrationResults,
  writeKeyUses,
} from '@belfry/database';
import {
  createDefinition,
  owner,
  person,
  readRevision,
  send,
  setSensitive,
  type World,
} from './world.fixture';

const hourMs = 3_600_000;
const times = { idleMs: hourMs, longestMs: 24 * hourMs };
const hashToken = (token: string) => createHash('sha256').update(token).digest();

export async function useOperators(world: World): Promise<void> {
  const { database, accountId, actor, operatorId } = world;
  const access = createAccess(database.accepting);
  await access.hasOperator();
  await access.isInFirstAccount(owner);
  await access.readSalt(owner, Buffer.from('salt'));
  const setup = { tokenHash: hashToken('setup'), accountId, kind: 'setup', role: 'owner' } as const;
  await access.createInvitation({ ...setup, livesMs: hourMs });
  await access.createInvitation({ ...setup, tokenHash: hashToken('again'), livesMs: hourMs });
  await access.findInvitation(hashToken('again'));
  await useSessions(world);
  const people = createPeople(database.accepting);
  const invite = { email: 'editor@example.com', role: 'owner', livesMs: hourMs };
  await people.invite(actor, { ...invite, email: owner, tokenHash: hashToken('owner') });
  for (const token of ['first', 'second']) {
    await people.invite(actor, { ...invite, tokenHash: hashToken(token) });
  }
  const { email } = invite;
  const use = { tokenHash: hashToken('second'), email, passwordHash: 'hash' };
  await access.findInvitation(use.tokenHash);
  await access.useInvitation({ ...use, tokenHash: hashToken('again') });
  await access.useInvitation(use);
  const editor = (await access.listOperators(email))[0]?.id ?? '';
  const byEditor = { accountId, operatorId: editor };
  await people.invite(byEditor, {
    ...invite,
    email: 'third@example.com',
    tokenHash: hashToken('3'),
  });
  await people.changeRole(actor, { id: editor, role: 'viewer' });
  await people.invite(actor, { ...invite, email: 'fourth@example.com', tokenHash: hashToken('4') });
  await people.listInvitations(accountId);
  await people.revoke(actor, hashToken('4').toString('hex'));
  await people.list(accountId);
  await access.createSession(editor, hashToken('session of the editor'), times);
  await resetOperator(database.accepting, { email });
  const reset = await resetOperator(database.accepting, { email, accountId });
  await access.createSession(editor, hashToken('another one'), times);
  if (reset && 'token' in reset) {
    await access.useInvitation({ ...use, tokenHash: hashToken(reset.token) });
  }
  await access.createSession(editor, hashToken('the last one'), times);
  await resetOperator(database.accepting, { email });
  await people.remove(actor, editor);
  await people.invite(actor, { ...invite, email: 'sixth@example.com', tokenHash: hashToken('6') });
  await people.invite(actor, { ...invite, tokenHash: hashToken('5') });
  await access.useInvitation({ ...use, tokenHash: hashToken('5') });
  const keptTokenHash = hashToken('kept');
  await access.changePassword({ accountId, operatorId, passwordHash: 'new', keptTokenHash });
  await useAudit(world);
}

/** Two-step sign-in of the owner and of the editor. */
export async function useTotp({ database, accountId, operatorId, actor }: World): Promise<void> {
  const pool = database.accepting;
  const totp = createOperatorTotp(pool);
  const keptTokenHash = hashToken('kept');
  const code = hashToken('recovery code');
  async function add(operator: string) {
    await totp.start(operator, 'first');
    await totp.start(operator, 'second');
    const self = { accountId, operatorId: operator };
    const codes = { step: 1, recoveryCodes: [code], keptTokenHash };
    await totp.confirm(self, { secret: 'second', ...codes });
    return self;
  }
  const self = await add(operatorId);
  await totp.find(operatorId);
  await totp.useStep(operatorId, 2);
  await totp.useRecoveryCode(self, code);
  await totp.replaceRecoveryCodes(self, [code]);
  const people = createPeople(pool);
  await people.list(accountId);
  const email = 'editor@example.com';
  const editor = (await createAccess(pool).listOperators(email))[0]?.id ?? '';
  await add(editor);
  await people.resetTotp(actor, editor);
  await add(editor);
  await resetOperatorTotp(pool, { email });
  await totp.remove(self, keptTokenHash);
}

async function useAudit({ database, accountId, operatorId }: World): Promise<void> {
  const pool = database.accepting;
  await readAuditPage(pool, accountId, {}, { limit: 50, scanned: 2 });
  const { next } = await readAuditPage(pool, accountId, {}, { limit: 1 });
  const before = next ?? undefined;
  await readAuditPage(pool, accountId, { before, operatorId }, { limit: 50 });
}

/** Names of one thing of each kind. */
async function useAuditNames({ database, accountId, ...world }: World, ids: string[]) {
  const { appId, operatorId, event, integrations } = world;
  const all = [appId, operatorId, event.eventId, event.versionId, integrations[0], ...ids];
  await readAuditNames(database.accepting, accountId, all);
}

async function useSessions({ database, operatorId, accountId, alter }: World): Promise<void> {
  const access = createAccess(database.accepting);
  for (const token of ['kept', 'ended', 'ended by id', 'old']) {
    await access.createSession(operatorId, hashToken(token), times);
  }
  await alter(`UPDATE operator_session SET last_seen_at = now() - interval '1 hour'`);
  await access.useSession(hashToken('kept'), times);
  await access.listSessions(operatorId);
  await access.endSessionById({ accountId, operatorId }, hashToken('ended by id').toString('hex'));
  await access.endSession(hashToken('ended'));
  await alter(
    `UPDATE operator_session SET expires_at = now() - interval '9 days' WHERE token_hash = $1`,
    [hashToken('old')],
  );
  await access.createSession(operatorId, hashToken('new'), times);
}

export async function useAccount(world: World) {
  const { database, accountId, actor, secrets, appId } = world;
  const apps = createAccountApps(database.accepting);
  await apps.list(accountId);
  await apps.find(accountId, appId);
  const other = await apps.create(actor, { name: 'Other', delivery: 'sandbox' });
  await apps.change(actor, appId, {
    name: 'Renamed',
    openInboxCounters: true,
    defaultRegion: 'DE',
  });
  await world.alter(
    `INSERT INTO webhook_endpoint (id, app_id, url, types, secrets)
     VALUES (gen_random_uuid(), $1, 'https://a.example/', '{}', '')`,
    [other],
  );
  await apps.remove(actor, other);
  const keys = createAccountKeys(database.accepting, secrets);
  const key = (await keys.create(actor))?.id ?? '';
  await keys.create(actor);
  await writeKeyUses(database.accepting, [key]);
  await keys.list(accountId);
  await keys.show(actor, key);
  await keys.rename(actor, { id: key, name: 'Shop' });
  await keys.end(actor, { id: key, afterMs: hourMs, isConfirmed: true });
}

/** The second secret is revoked, and the third is refused. */
export async function useInboxSecrets({ database, secrets, actor, appId }: World): Promise<void> {
  const inboxSecrets = createInboxSecrets(database.accepting, secrets);
  const inApp = { ...actor, appId };
  const first = await inboxSecrets.create(inApp);
  const second = await inboxSecrets.create(inApp);
  await inboxSecrets.create(inApp);
  await inboxSecrets.show(inApp, first?.id ?? '');
  await inboxSecrets.list(appId);
  await findSealedSecrets(database.lookUps, appId);
  await inboxSecrets.revoke(inApp, second?.id ?? '');
}

export async function useIntegrations(world: World): Promise<void> {
  const { database, actor, appId, integrations } = world;
  const all = createAppIntegrations(database.accepting);
  const id = integrations[1];
  const dueAt = new Date(Date.now() + hourMs);
  await send(world, { message: { integrationId: id, dueAt } });
  const counts = { succeeded: 1, failed: 1, failuresInRow: 1, successMsAgo: 1, failureMsAgo: 0 };
  async function writeResults(): Promise<Date> {
    const revision = await readRevision(world, id);
    await writeIntegrationResults(database.delivery, [
      { ...revision, ...counts, error: 'refused', circuitOpenMs: undefined },
    ]);
    return revision.updatedAt;
  }
  const updatedAt = await writeResults();
  await all.list(appId);
  const mail = { channel: 'sms', provider: 'slack', settings: { a: 1 } };
  const change = { name: 'New', credentials: 'b', settings: {}, entered: ['pass'] };
  await all.change(actor, appId, { id, updatedAt, isUntested: true, ...change });
  await writeResults();
  await all.pause(actor, appId, id);
  const row = await all.find(appId, id);
  await all.findByName(appId, row?.name ?? '');
  await all.resume(actor, appId, id);
  await all.recordTest(actor, appId, { id, ...mail });
  const createdId = await all.create(actor, appId, {
    name: 'Third',
    ...mail,
    seal: () => 'sealed',
  });
  await all.remove(actor, appId, { id: createdId ?? '', emptied: '' });
}

export async function useEvents(world: World): Promise<void> {
  const { database, actor, appId, integrations, event } = world;
  const events = createAppEvents(database.accepting);
  const eventId = (await events.create(actor, appId, 'password_reset')) ?? '';
  const definition = createDefinition(integrations);
  const publish = { eventId, basedOnLive: undefined, note: 'note' };
  for (const basedOn of [1, 2]) {
    await events.saveDraft(actor, appId, { eventId, basedOn: basedOn - 1, definition });
    await events.publish(actor, appId, { ...publish, basedOn });
  }
  await events.list(appId);
  await events.find(appId, eventId);
  const [live, older] = await events.listVersions(appId, { eventId, before: undefined, limit: 9 });
  await events.listVersions(appId, { eventId, before: live?.number, limit: 9 });
  await events.findVersion(appId, { eventId, versionId: live?.id ?? '' });
  await events.rollBack(actor, appId, {
    eventId,
    versionId: older?.id ?? '',
    basedOnLive: live?.id ?? '',
    note: undefined,
  });
  await events.createTestVersion(actor, appId, { eventId, definition });
  await events.rename(actor, appId, { id: eventId, name: 'renamed' });
  await events.remove(actor, appId, eventId);
  await send(world, { data: '{"a":1}' });
  await events.findLastCall(appId, event.eventId);
  await events.listCallData(appId, event.eventId);
  await setSensitive(world, true);
  await events.listCallData(appId, event.eventId);
  await setSensitive(world, false);
}

export async function usePeopleOfApp(world: World): Promise<void> {
  const { database, actor, appId } = world;
  const users = createAppUsers(database.accepting);
  const [user] = (await users.list(appId, '')).rows;
  const sid = user?.sid ?? '';
  const [device] = await users.listDevices(sid);
  await users.find(appId, sid);
  for (const text of [person.userId, person.email, person.token, 'token-of-ana', sid]) {
    await users.search(appId, text);
  }
  await users.search(appId, device?.sid ?? '');
  await users.listIdsByAddress(appId, person.email);
  const suppressions = createSuppressions(database.accepting);
  const addresses = [{ channel: 'email', address: 'blocked@example.com' }];
  const [suppression] = [...addresses, ...addresses];
  const suppressed = { channel: 'email', address: 'blocked@example.com', detail: 'asked' };
  const id = (await suppressions.add(actor, appId, suppressed)) ?? '';
  await suppressions.add(actor, appId, { ...suppressed, address: 'c@example.com' });
  await suppressions.list(appId, '');
  await suppressions.list(appId, '', id);
  await suppressions.listForAddresses(appId, suppression ? [suppression] : []);
  await suppressions.remove(actor, appId, id);
  await useSavedFilters(world);
}

async function useSavedFilters(world: World): Promise<void> {
  const { database, accountId, actor, appId, alter } = world;
  const filters = createSavedFilters(database.accepting);
  const savedFilter = await filters.create(actor, appId, {
    name: 'Failed',
    filters: { state: 'failed' },
  });
  const filter = typeof savedFilter === 'object' ? savedFilter.id : '';
  await filters.list(appId);
  const { messageId } = await send(world);
  const [key] = await createAccountKeys(database.accepting, world.secrets).list(accountId);
  await useAuditNames(world, [filter, messageId, key?.id ?? '']);
  await filters.change(actor, appId, { id: filter, name: 'Changed' });
  await filters.remove(actor, appId, filter);
  await alter(
    `INSERT INTO saved_filter (id, app_id, name, filters)
     SELECT gen_random_uuid(), $1, 'filter ' || n, '{}' FROM generate_series(1, 50) n`,
    [appId],
  );
  await filters.create(actor, appId, { name: 'One more', filters: {} });
}
