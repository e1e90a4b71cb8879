import { type Static, Type } from '@sinclair/typebox';
import { maskTarget } from '../mask-target';
import { type MessageState, messageStates } from '../message-state';
import { countStates, type StateCounts, type StateGroup } from '../state-counts';
import { definedOnly } from './members';
import { metadataAnswer } from './metadata';

/** A request, the number of its messages by state, and a page of the messages. */
export type RequestStatus = {
  requestId: string;
  kind: string;
  event: string;
  channels: string[];
  items: number;
  plannedItems: number;
  acceptedAt: Date;
  traceId: string | null;
  groups: StateGroup[];
  entries: StatusEntry[];
};

/** A message; or a channel of an item without a message, because it was skipped or the item is not planned yet. */
export type StatusEntry = {
  item: number;
  /** Sort key within its item: the id of the message, else the name of the channel. */
  key: string;
  id: string | null;
  channel: string;
  target: string | null;
  generation: number;
  state: MessageState;
  reason: string | null;
  resendOf: string | null;
  /** The message that resent it. */
  resentAs: string | null;
  /** JSON of the item's metadata. */
  metadata: string | null;
  createdAt: Date | null;
  dueAt: Date | null;
  settledAt: Date | null;
};

const uuid = Type.String({ format: 'uuid' });
const count = Type.Integer({ minimum: 0 });
const time = (description: string) =>
  Type.Integer({ description: `Unix milliseconds: ${description}` });

export const stateCounts = Type.Object(
  {
    total: count,
    waiting: Type.Integer({ minimum: 0, description: 'Queued, sending, or not planned yet.' }),
    sent: count,
    delivered: count,
    read: count,
    failed: count,
    unknown: count,
    skipped: count,
    skipped_by_reason: Type.Record(Type.String(), count, {
      description: '`skipped` by reason.',
    }),
  },
  { description: 'Every message counts in exactly one state; `total` is the sum.' },
);

const message = Type.Object({
  id: Type.Optional(
    Type.String({
      format: 'uuid',
      description:
        'Absent if the item has no message on this channel: it was skipped, or the item is not planned yet.',
    }),
  ),
  item: Type.Integer({
    minimum: 0,
    description: 'Index of the element in the batch; 0 for a single send.',
  }),
  channel: Type.String(),
  target: Type.Optional(Type.String({ description: 'The address, masked.' })),
  state: Type.Unsafe<MessageState>({ type: 'string', enum: Object.keys(messageStates) }),
  reason: Type.Optional(Type.String({ description: 'Why it was skipped or failed.' })),
  generation: Type.Integer({
    minimum: 0,
    description: '0 for the first message; each resend adds 1.',
  }),
  resend_of: Type.Optional(
    Type.String({ ...uuid, description: 'The message that this one resends.' }),
  ),
  resent_as: Type.Optional(
    Type.String({
      ...uuid,
      description: 'The message that resends this one. A message with `resent_as` is not counted.',
    }),
  ),
  metadata: Type.Optional(metadataAnswer),
  created_at: Type.Optional(time('when it was planned.')),
  due_at: Type.Optional(time('earliest time of the next attempt.')),
  settled_at: Type.Optional(time('when it first reached a final state.')),
});

export const requestStatusAnswer = Type.Object({
  request_id: uuid,
  event: Type.String(),
  kind: Type.String({ enum: ['single', 'bulk', 'test'] }),
  accepted_at: time('when the request was stored.'),
  trace_id: Type.Optional(
    Type.String({
      pattern: '^[0-9a-f]{32}$',
      description: 'The trace of the send; absent if it had none.',
    }),
  ),
  items: Type.Integer({
    minimum: 1,
    description: 'Number of elements in the batch; 1 for a single send.',
  }),
  planned_items: Type.Integer({
    minimum: 0,
    description: 'Number of items whose messages are planned.',
  }),
  counts: stateCounts,
  channels: Type.Record(Type.String(), stateCounts, {
    description: 'The counts by channel of the event.',
  }),
  messages: Type.Array(message, { description: 'One page, in the order of the items.' }),
  next: Type.Optional(
    Type.String({ description: 'The `cursor` of the next page; absent on the last one.' }),
  ),
});

export function requestStatusToWire(request: RequestStatus, next: string | undefined): object {
  const { groups, channels, entries } = request;
  const countChannel = (channel: string) =>
    countsToWire(groups.filter((group) => group.channel === channel));
  return definedOnly({
    request_id: request.requestId,
    event: request.event,
    kind: request.kind,
    accepted_at: request.acceptedAt.getTime(),
    trace_id: request.traceId ?? undefined,
    items: request.items,
    planned_items: request.plannedItems,
    counts: countsToWire(groups),
    channels: Object.fromEntries(channels.map((channel) => [channel, countChannel(channel)])),
    messages: entries.map(messageToWire),
    next,
  });
}

export function countsToWire(groups: readonly StateGroup[]): Static<typeof stateCounts> {
  const { skippedByReason, ...counts }: StateCounts = countStates(groups);
  return { ...counts, skipped_by_reason: skippedByReason };
}

function messageToWire(entry: StatusEntry): object {
  const { id, item, channel, target, state, reason, generation } = entry;
  return definedOnly({
    id: id ?? undefined,
    item,
    channel,
    target: target === null ? undefined : maskTarget(channel, target),
    state,
    reason: reason ?? undefined,
    generation,
    resend_of: entry.resendOf ?? undefined,
    resent_as: entry.resentAs ?? undefined,
    metadata: entry.metadata === null ? undefined : JSON.parse(entry.metadata),
    created_at: entry.createdAt?.getTime(),
    due_at: entry.dueAt?.getTime(),
    settled_at: entry.settledAt?.getTime(),
  });
}
