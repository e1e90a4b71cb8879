import type { AnyChannel } from '@belfry/channels';
import type {
  Actor,
  AddressOnChannel,
  AppCategories,
  AppUserRow,
  AppUsers,
  Suppressions,
  UserDeviceRow,
  UserPreferences,
} from '@belfry/database';
import type {
  Candidate,
  Eligibility,
  ErasureRow,
  NewErasure,
  UserMessage,
  UserQuery,
} from '@belfry/pipeline/operate';
import { limitProblems } from '@belfry/shared';
import type { UserAnswer } from '../../api/users';
import { invalid, notFound, Refusal } from '../problem';
import { type AppCall, type Handlers, readId } from '../route';
import { toUserMessages } from '../user-messages';
import {
  addObstacles,
  buildRecipient,
  listAddresses,
  listOwnAddresses,
  toCandidates,
  toErasureRow,
  toSuppressionRow,
  toUserAnswer,
  toUserRow,
} from '../user-page';
import { changeSwitches, type SwitchChange, toUserPreferences } from '../user-preferences';

export type UserHandlersDeps = {
  channels: Record<string, AnyChannel>;
  users: AppUsers;
  suppressions: Suppressions;
  categories: AppCategories;
  preferences: UserPreferences;
  /** The verdict of a claim on each candidate. */
  readEligibility(appId: string, candidates: readonly Candidate[]): Promise<Eligibility[]>;
  readUserMessages(query: UserQuery): Promise<UserMessage[]>;
  now: () => Date;
  eraseUser(actor: Actor, erasure: NewErasure): Promise<ErasureRow | undefined>;
  listErasures(appId: string): Promise<ErasureRow[]>;
};

/** Users of an app. */
export function createUserHandlers(deps: UserHandlersDeps) {
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

    async 'PUT /api/apps/:appId/users/:userSid/preferences'(call) {
      const { user } = await find(call);
      const { actor, app, body } = call;
      const facts = { channels, categories: await deps.categories.list(app.id) };
      requireLevels(body.changes, facts);
      const isChanged = await deps.preferences.changePreferences({
        ...{ appId: app.id, userId: user.userId, source: 'dashboard' },
        change: (stored) => changeSwitches(stored, body.changes),
        actor: { ...actor, appId: app.id },
      });
      if (!isChanged) throw notFound('user');
      return toUserPreferences((await find(call)).user.contact['preferences']);
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

type KnownLevels = {
  channels: Record<string, AnyChannel>;
  categories: readonly { slug: string }[];
};

/** Refuses levels that no message can have. */
function requireLevels(changes: readonly SwitchChange[], { channels, categories }: KnownLevels) {
  const problems = changes.flatMap(({ channel, category }, index) => [
    ...(channel === null || Object.hasOwn(channels, channel)
      ? []
      : [{ path: `changes.${index}.channel`, problem: 'is not a channel' }]),
    ...(category === null || categories.some(({ slug }) => slug === category)
      ? []
      : [{ path: `changes.${index}.category`, problem: 'is not a category of the app' }]),
  ]);
  if (problems.length > 0) throw invalid(limitProblems(problems));
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
