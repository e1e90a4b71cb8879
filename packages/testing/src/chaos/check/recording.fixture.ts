import type {
  AnswerEntry,
  AttemptEntry,
  CallEntry,
  Entry,
  FaultEntry,
  KeyEntry,
  MessageEntry,
  Policy,
  RequestEntry,
  SendEntry,
} from '../recording';

/** Changes to a run of one key with one message and without problems. */
export type RunInput = {
  policy?: Policy;
  calls?: (Partial<CallEntry> & { answer?: Partial<AnswerEntry> })[];
  requestIds?: string[];
  message?: Partial<MessageEntry> | undefined;
  attempts?: Partial<AttemptEntry>[];
  sends?: Partial<SendEntry>[];
  faults?: Partial<FaultEntry>[];
  unanswered?: string[];
  more?: Entry[];
};

const key: KeyEntry = {
  type: 'key',
  key: 'k1',
  accountId: 'account',
  appId: 'app',
  policy: 'resend',
  channels: ['slack'],
  items: 1,
};

const message: MessageEntry = {
  type: 'message',
  id: 'm1',
  requestId: 'r1',
  item: 0,
  channel: 'slack',
  target: 'C1',
  state: 'sent',
  reason: undefined,
  attempts: 1,
  unknownCount: 0,
  settledMs: 400,
};

export const formatAnswer = (requestId: string) => JSON.stringify({ request_id: requestId });

export function buildRecording(input: RunInput): Entry[] {
  const { policy = 'resend', requestIds = ['r1'], attempts = [{}], sends = [{}] } = input;
  const { calls = [{}], faults = [], unanswered = [], more = [] } = input;
  return [
    {
      type: 'run',
      seed: 1,
      keys: 1,
      isFull: false,
      commit: 'none',
      cores: 2,
      lockMs: 10_000,
      deadlineMs: 3_000,
      leaseMs: 8_000,
      unknownResends: 2,
      attempts: 8,
    },
    { ...key, policy },
    ...calls.flatMap(buildCall),
    ...requestIds.flatMap(buildRequest),
    ...('message' in input && !input.message ? [] : [{ ...message, ...input.message }]),
    ...attempts.map((attempt, index) => buildAttempt(index + 1, attempt)),
    ...sends.map(buildSend),
    ...faults.map(buildFault),
    ...more,
    { type: 'end', atMs: 60_000, faultsEndedMs: 50_000, unanswered },
  ];
}

function buildCall(
  { answer, ...call }: NonNullable<RunInput['calls']>[number],
  index: number,
): Entry[] {
  const atMs = 100 + index * 100;
  return [
    { type: 'call', call: index, atMs, key: 'k1', variant: 'same', gateway: 'g1', ...call },
    {
      type: 'answer',
      call: index,
      atMs: (call.atMs ?? atMs) + 50,
      status: 200,
      body: formatAnswer('r1'),
      isReplay: index > 0,
      hasRetryAfter: false,
      ...answer,
    },
  ];
}

/** Requests after the first have no items: their existence is the problem. */
function buildRequest(id: string, index: number): RequestEntry {
  const items = index === 0 ? 1 : 0;
  const ids = { accountId: 'account', appId: 'app', key: 'k1' };
  return { type: 'request', id, ...ids, items };
}

function buildAttempt(number: number, attempt: Partial<AttemptEntry>): AttemptEntry {
  return {
    type: 'attempt',
    messageId: 'm1',
    number,
    openedMs: 200,
    closedMs: 400,
    pid: 7,
    outcome: 'accepted',
    reason: undefined,
    isPossibleDuplicate: number > 1,
    ...attempt,
  };
}

function buildSend(send: Partial<SendEntry>): SendEntry {
  return {
    type: 'send',
    atMs: 300,
    channel: 'slack',
    target: 'C1',
    dedupe: 'm1',
    isAnswered: true,
    answeredMs: 310,
    ...send,
  };
}

function buildFault(fault: Partial<FaultEntry>): FaultEntry {
  return {
    type: 'fault',
    name: 'process.kill',
    target: 'worker-1',
    pid: 7,
    atMs: 320,
    liftedMs: 2_000,
    isKill: true,
    ...fault,
  };
}
