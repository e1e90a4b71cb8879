import type { AnyChannel } from '@belfry/channels';
import type {
  Actor,
  AddressOnChannel,
  AppUserRow,
  AppUsers,
  Suppressions,
  UserDeviceRow,
} from '@belfry/database';
import type {
  Candidate,
  Eligibility,
  ErasureRow,
  NewErasure,
  UserMessage,
  UserQuery,
} from '@belfry/pipeline/operate';
import { formatSuppressedSender, isUuid } from '@belfry/shared';
import type { UserAnswer } from '../../api/users';
import { invalid, notFound, Refusal } from '../problem';
import { type AppCall, type Handlers, readId } from '../route';
import { toUserMessages } from '../user-messages';
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

export type UserHandlersDeps = {
  channels: Record<string, AnyChannel>;
  users: AppUsers;
  suppressions: Suppressions;
  /** The verdict of a claim on each candidate. */
  readEligibility(appId: string, candidates: readonly Candidate[]): Promise<Eligibility[]>;
  readUserMessages(query: UserQuery): Promise<UserMessage[]>;
  now: () => Date;
  eraseUser(actor: Actor, erasure: NewErasure): Promise<ErasureRow | undefined>;
  listErasures(appId: string): Promise<ErasureRow[]>;
};

/** Users and suppressions of an app. */
export function createUserHandlers(deps: UserHandlersDeps) {
  return { ...createRecordHandlers(deps), ...createSuppressionHandlers(deps) };
}

function createRecordHandlers(deps: UserHandlersDeps) {
  const { channels, users } = deps;

  async function find({ app, path }: AppCall & { path: { userSid: string } }): Promise<UserRecord> {
    const user = await users.find(app.id, readId(path.userSid, 'user'));
    if (!user) throw notFound('user');
    return { user, devices: await users.listDevices(user.sid) };
  }

  return {
    async 'GET /api/apps/:appId/users'({ app, query: { text, after = '' } }) {
      if (text === undefined) {
        const { rows, isPartial } = await users.list(app.id, after);
        const next = isPartial ? (rows.at(-1)?.userId ?? null) : null;
        return { users: rows.map(toUserRow), next, isPartial: false };
      }
      const { rows, isPartial } = await users.search(app.id, text);
      return { users: rows.map(toUserRow), next: null, isPartial };
    },

    'GET /api/apps/:appId/users/:userSid': async (call) => readAnswer(deps, call, await find(call)),

    async 'GET /api/apps/:appId/users/:userSid/messages'(call) {
      const { user, devices } = await find(call);
      const { app } = call;
      const addresses = listOwnAddresses(buildRecipient(user, devices, channels), channels, app);
      const query = { appId: app.id, userId: user.userId, addresses };
      return toUserMessages(await deps.readUserMessages(query), deps.now());
    },

    async 'DELETE /api/apps/:appId/users/:userSid'(call) {
      const { user, devices } = await find(call);
      if (call.body.confirmUserId !== user.userId) {
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
    },

    async 'GET /api/apps/:appId/erasures'({ app }) {
      return { erasures: (await deps.listErasures(app.id)).map(toErasureRow) };
    },
  } satisfies Partial<Handlers>;
}

type UserRecord = { user: AppUserRow; devices: UserDeviceRow[] };

async function readAnswer(
  { channels, suppressions, readEligibility }: UserHandlersDeps,
  { app }: AppCall,
  { user, devices }: UserRecord,
): Promise<UserAnswer> {
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

function createSuppressionHandlers({ channels, suppressions }: UserHandlersDeps) {
  return {
    async 'GET /api/apps/:appId/suppressions'({ app, query: { text = '', after } }) {
      const from = after !== undefined && isUuid(after) ? after : undefined;
      const { rows, next } = await suppressions.list(app.id, text, from);
      return { suppressions: rows.map(toSuppressionRow), next };
    },

    async 'POST /api/apps/:appId/suppressions'({ app, actor, body }) {
      const { channel: name, address: typedAddress, detail } = body;
      const channel = Object.hasOwn(channels, name) ? channels[name] : undefined;
      if (!channel) throw invalid([{ path: 'channel', problem: 'is not a known channel' }]);
      const result = canonicalizeAddress(typedAddress.trim(), channel, { channels, app });
      if ('problem' in result) throw invalid([{ path: 'address', problem: result.problem }]);
      const { address } = result;
      const suppression = { channel: name, address, detail: detail.trim() };
      const id = await suppressions.add(actor, app.id, suppression);
      if (id === undefined) throw alreadySuppressed();
      const rows = await suppressions.listForAddresses(app.id, [{ channel: name, address }]);
      const row = rows.find((one) => one.id === id);
      if (!row) throw notFound('suppression');
      return toSuppressionRow(row);
    },

    async 'DELETE /api/apps/:appId/suppressions/:id'({ app, actor, path }) {
      const id = readId(path.id, 'suppression');
      if (!(await suppressions.remove(actor, app.id, id))) throw notFound('suppression');
      return { success: true };
    },
  } satisfies Partial<Handlers>;
}

function alreadySuppressed(): Refusal {
  const text = `This address is already suppressed for ${formatSuppressedSender(null)}.`;
  return new Refusal('name_taken', text, {
    fields: [{ path: 'address', problem: 'is already suppressed' }],
  });
}
