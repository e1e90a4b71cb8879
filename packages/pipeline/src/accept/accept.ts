import type { UserRow } from '@belfry/database';
import { type Awaitable, andThen } from '@belfry/runtime';
import type { Recipient, VersionDefinition, WireItem } from '@belfry/shared';
import { type AcceptCallDeps, createAcceptCall, type EventCall, newItem } from './accept-call';
import type { Plan } from './plan';
import type { NewItem } from './write.sql';
import type { KeyOutcome } from './write-requests';

export type SendEventDeps = AcceptCallDeps & {
  findUser(appId: string, userId: string): Promise<UserRow | undefined>;
  readStoredRecipient(user: UserRow): Recipient;
  plan: Plan;
  newId: () => string;
};

export type SendEventInput = EventCall & {
  item: WireItem;
  /** A test from the dashboard is marked and counted apart. */
  kind?: 'single' | 'test';
};

export type SendEvent = (input: SendEventInput) => Promise<KeyOutcome>;

/** Accepts a single send, planned at once; see createAcceptCall. */
export function createSendEvent(deps: SendEventDeps): SendEvent {
  const acceptCall = createAcceptCall(deps);

  return function sendEvent(input) {
    return acceptCall(input, {
      kind: input.kind ?? 'single',
      createItems: ({ definition }) =>
        andThen(findStoredUser(input), (stored) => [planItem(input, definition, stored)]),
    });
  };

  function planItem(
    { callId, app, item }: SendEventInput,
    definition: VersionDefinition,
    stored: Recipient | undefined,
  ): NewItem {
    const { plan, newId, secrets } = deps;
    const { delivery, defaultRegion } = app;
    const now = new Date();
    const itemPlan = plan({ item, stored, definition, delivery, defaultRegion, now, newId });
    return { ...newItem(item, secrets, { callId, index: 0 }), plan: itemPlan };
  }

  function findStoredUser({ app, item }: SendEventInput): Awaitable<Recipient | undefined> {
    const userId = item.user?.user_id;
    if (!userId) return undefined;
    return andThen(deps.findUser(app.id, userId), (user) => user && deps.readStoredRecipient(user));
  }
}
