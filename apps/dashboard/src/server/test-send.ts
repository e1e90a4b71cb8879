import type { AccountAppRow, Actor, AppEventRow, AppEvents } from '@belfry/database';
import type { SendEvent } from '@belfry/pipeline/accept';
import type { Json, ReadSend, VersionDefinition } from '@belfry/shared';
import type { TestSendAnswer } from '../api/test-send';
import { notFound, Refusal } from './problem';

export type TestSendDeps = {
  events: Pick<AppEvents, 'createTestVersion'>;
  /** The accept step of the gateway, with the version just stored. */
  createSendEvent(version: {
    id: string;
    eventId: string;
    definition: VersionDefinition;
  }): SendEvent;
  readSend: ReadSend;
  newId: () => string;
};

export type TestSendInput = {
  app: AccountAppRow;
  event: AppEventRow;
  /** Only the channels to test, without problems. */
  definition: VersionDefinition;
  delivery: 'sandbox' | 'live';
  /** A body of `events/send` for the event, without nulls. */
  body: Json;
};

const storageIsFull =
  'The account reached its storage limit. Nothing was stored. Wait until old messages are removed, or ask the person who runs Belfry for a higher limit.';

export type TestSend = (actor: Actor, input: TestSendInput) => Promise<TestSendAnswer>;

/** Stores the draft as a version of kind `test`, then accepts it like any call. */
export function createTestSend(deps: TestSendDeps): TestSend {
  return async function testSend(actor, { app, event, definition, delivery, body }) {
    if (app.isStorageFull) throw new Refusal('wrong_state', storageIsFull);
    const { eventName, item } = deps.readSend(body);
    const tested: VersionDefinition =
      delivery === 'sandbox' ? { ...definition, delivery: 'sandbox' } : definition;
    const version = await deps.events.createTestVersion(actor, app.id, {
      eventId: event.id,
      definition: tested,
    });
    if (!version) throw notFound('event');
    const requestId = deps.newId();
    const sendEvent = deps.createSendEvent({
      id: version.id,
      eventId: event.id,
      definition: tested,
    });
    await sendEvent({
      callId: requestId,
      accountId: actor.accountId,
      apiKeyId: undefined,
      app: { id: app.id, delivery, defaultRegion: app.defaultRegion },
      eventName,
      item,
      idempotencyKey: undefined,
      key: undefined,
      kind: 'test',
    });
    return { requestId };
  };
}
