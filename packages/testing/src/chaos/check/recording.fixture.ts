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

/** A run of one key with one message, by hand: what the parts of a test say, and for the rest a run in which all went well. */
export type Parts = {
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

export const answerOf = (requestId: string) => JSON.stringify({ request_id: requestId });

export function recordingOf(parts: Parts): Entry[] {
  const { policy = 'resend', requestIds = ['r1'], attempts = [{}], sends = [{}] } = parts;
  const { calls = [{}], faults = [], unanswered = [], more = [] } = parts;
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
    ...calls.flatMap(callOf),
    ...requestIds.flatMap(requestOf),
    ...('message' in parts && !parts.message ? [] : [{ ...message, ...parts.message }]),
    ...attempts.map((attempt, index) => attemptOf(index + 1, attempt)),
    ...sends.map(sendOf),
    ...faults.map(faultOf),
    ...more,
    { type: 'end', atMs: 60_000, faultsEndedMs: 50_000, unanswered },
  ];
}

function callOf({ answer, ...call }: NonNullable<Parts['calls']>[number], index: number): Entry[] {
  const atMs = 100 + index * 100;
  return [
    { type: 'call', call: index, atMs, key: 'k1', variant: 'same', gateway: 'g1', ...call },
    {
      type: 'answer',
      call: index,
      atMs: (call.atMs ?? atMs) + 50,
      status: 200,
      body: answerOf('r1'),
      isReplay: index > 0,
      hasRetryAfter: false,
      ...answer,
    },
  ];
}

/** Those behind the first have no items: what is wrong with them is that they are there. */
function requestOf(id: string, index: number): RequestEntry {
  const items = index === 0 ? 1 : 0;
  const ids = { accountId: 'account', appId: 'app', key: 'k1' };
  return { type: 'request', id, ...ids, items };
}

function attemptOf(number: number, attempt: Partial<AttemptEntry>): AttemptEntry {
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

function sendOf(send: Partial<SendEntry>): SendEntry {
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

function faultOf(fault: Partial<FaultEntry>): FaultEntry {
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
