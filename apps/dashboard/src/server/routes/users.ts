import type { AnyChannel } from '@belfry/channels';
import type {
  Actor,
  AddressOnChannel,
  AppUserRow,
  AppUsers,
  Suppressions,
  UserDeviceRow,
} from '@belfry/database';
import type { Candidate, Eligibility, ErasureRow, NewErasure } from '@belfry/pipeline/operate';
import { isUuid } from '@belfry/shared';
import { Type } from '@sinclair/typebox';
import type * as wire from '../../api/users';
import { invalid, notFound, Refusal } from '../problem';
import { readBody } from '../read-body';
import { type AppCall, queryText, type Routes, readId } from '../route';
import {
  addObstacles,
  buildRecipient,
  canonicalizeAddress,
  listAddresses,
  listOwnAddresses,
  toCandidates,
  toErasureRow,
  toSuppressionRow,
  toUserAnswer,
  toUserRow,
} from '../user-page';

export type UserRoutesDeps = {
  channels: Record<string, AnyChannel>;
  users: AppUsers;
  suppressions: Suppressions;
  /** The verdict of a claim on each candidate. */
  readEligibility(appId: string, candidates: readonly Candidate[]): Promise<Eligibility[]>;
  eraseUser(actor: Actor, erasure: NewErasure): Promise<ErasureRow | undefined>;
  listErasures(appId: string): Promise<ErasureRow[]>;
};

/** Longer than any searchable id or address except a push token. */
const maxTextLength = 4_096;
const eraseBody = Type.Object({ confirmUserId: Type.String({ maxLength: 1_024 }) });
const suppressBody = Type.Object({
  channel: Type.String({ maxLength: 64 }),
  address: Type.String({ minLength: 1, maxLength: maxTextLength }),
  detail: Type.String({
    maxLength: 500,
    pattern: '\\S',
    'x-problem': 'must have 1 to 500 characters',
  }),
});

/** Users and suppressions of an app. */
export function createUserRoutes(deps: UserRoutesDeps, routes: Routes) {
  return { ...createRecordRoutes(deps, routes), ...createSuppressionRoutes(deps, routes) };
}

function createRecordRoutes(deps: UserRoutesDeps, { inApp }: Routes) {
  const { channels, users } = deps;

  async function find(call: AppCall): Promise<{ user: AppUserRow; devices: UserDeviceRow[] }> {
    const user = await users.find(call.app.id, readId(call, 'userSid', 'user'));
    if (!user) throw notFound('user');
    return { user, devices: await users.listDevices(user.sid) };
  }

  return {
    list: inApp(async (call): Promise<wire.UserListAnswer> => {
      const text = readSearchText(call, 'text');
      if (text === undefined) {
        const { rows, isPartial } = await users.list(
          call.app.id,
          readSearchText(call, 'after') ?? '',
        );
        const next = isPartial ? (rows.at(-1)?.userId ?? null) : null;
        return { users: rows.map(toUserRow), next, isPartial: false };
      }
      const { rows, isPartial } = await users.search(call.app.id, text);
      return { users: rows.map(toUserRow), next: null, isPartial };
    }),

    read: inApp(async (call): Promise<wire.UserAnswer> => {
      const { user, devices } = await find(call);
      return readAnswer(deps, call, { user, devices });
    }),

    erase: inApp(async (call): Promise<wire.ErasureRow> => {
      const { confirmUserId } = readBody(eraseBody, call.body);
      const { user, devices } = await find(call);
      if (confirmUserId !== user.userId) {
        throw new Refusal(
          'needs_confirmation',
          `Enter the id of the user, ${user.userId}, to erase the user.`,
        );
      }
      const addresses = listOwnAddresses(
        buildRecipient(user, devices, channels),
        channels,
        call.app,
      );
      const erasure = { appId: call.app.id, userSid: user.sid, addresses };
      const erased = await deps.eraseUser(call.actor, erasure);
      if (!erased) throw notFound('user');
      return toErasureRow(erased);
    }),

    listErasures: inApp(async ({ app }): Promise<wire.ErasureListAnswer> => {
      return { erasures: (await deps.listErasures(app.id)).map(toErasureRow) };
    }),
  };
}

async function readAnswer(
  { channels, suppressions, readEligibility }: UserRoutesDeps,
  { app }: AppCall,
  { user, devices }: { user: AppUserRow; devices: UserDeviceRow[] },
): Promise<wire.UserAnswer> {
  const addresses = listAddresses(buildRecipient(user, devices, channels), channels, app);
  const presentAddresses = addresses.flatMap(({ channel, address }): AddressOnChannel[] =>
    address === null ? [] : [{ channel, address }],
  );
  const [rows, verdicts] = await Promise.all([
    suppressions.listForAddresses(app.id, presentAddresses),
    readEligibility(app.id, toCandidates(addresses, user.userId)),
  ]);
  return toUserAnswer(user, devices, {
    addresses: addObstacles(addresses, verdicts),
    suppressions: rows.map(toSuppressionRow),
  });
}

function createSuppressionRoutes({ channels, suppressions }: UserRoutesDeps, { inApp }: Routes) {
  return {
    listSuppressions: inApp(async (call): Promise<wire.SuppressionListAnswer> => {
      const after = readSearchText(call, 'after');
      const from = after !== undefined && isUuid(after) ? after : undefined;
      const { rows, next } = await suppressions.list(
        call.app.id,
        readSearchText(call, 'text') ?? '',
        from,
      );
      return { suppressions: rows.map(toSuppressionRow), next };
    }),

    suppress: inApp(async (call): Promise<wire.SuppressionRow> => {
      const { channel: name, address: typedAddress, detail } = readBody(suppressBody, call.body);
      const channel = channels[name];
      if (!channel) throw invalid([{ path: 'channel', problem: 'is not a known channel' }]);
      const result = canonicalizeAddress(typedAddress.trim(), channel, { channels, app: call.app });
      if ('problem' in result) throw invalid([{ path: 'address', problem: result.problem }]);
      const { address } = result;
      const suppression = { channel: name, address, detail: detail.trim() };
      const id = await suppressions.add(call.actor, call.app.id, suppression);
      if (id === undefined) throw alreadySuppressed();
      const rows = await suppressions.listForAddresses(call.app.id, [{ channel: name, address }]);
      const row = rows.find((one) => one.id === id);
      if (!row) throw notFound('suppression');
      return toSuppressionRow(row);
    }),

    allow: inApp(async (call) => {
      const id = readId(call, 'id', 'suppression');
      if (!(await suppressions.remove(call.actor, call.app.id, id))) throw notFound('suppression');
      return { success: true };
    }),
  };
}

function readSearchText(call: AppCall, name: string): string | undefined {
  const text = queryText(call, name);
  if (text === undefined || (text.length <= maxTextLength && !text.includes('\0'))) return text;
  throw new Refusal('bad_request', `${name} is not a searchable text.`);
}

function alreadySuppressed(): Refusal {
  return new Refusal('name_taken', 'This address is already suppressed for every sender.', {
    fields: [{ path: 'address', problem: 'is already suppressed' }],
  });
}
