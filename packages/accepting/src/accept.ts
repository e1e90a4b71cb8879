import type { KeyOutcome, UserRow } from '@belfry/database';
import type { Recipient, WireItem } from '@belfry/shared';
import { type AcceptCallDeps, createAcceptCall, type EventCall, newItem } from './accept-call';
import type { Plan } from './plan';

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
    const { callId, app, item } = input;
    return acceptCall(input, {
      kind: input.kind ?? 'single',
      async createItems({ definition }) {
        const stored = await findStoredUser(input);
        const { plan, newId, secrets } = deps;
        const { delivery } = app;
        const planned = plan({ item, stored, definition, delivery, now: new Date(), newId });
        return [{ ...newItem(item, secrets, { callId, index: 0 }), plan: planned }];
      },
    });
  };

  async function findStoredUser({ app, item }: SendEventInput): Promise<Recipient | undefined> {
    const userId = item.user?.user_id;
    const user = userId ? await deps.findUser(app.id, userId) : undefined;
    return user && deps.readStoredRecipient(user);
  }
}
