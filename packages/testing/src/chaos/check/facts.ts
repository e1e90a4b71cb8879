import {
  type AnswerEntry,
  type AttemptEntry,
  type CallEntry,
  type EndEntry,
  type Entry,
  type FaultEntry,
  filterEntries,
  getPlaceKey,
  type KeyEntry,
  type MessageEntry,
  type RequestEntry,
  type RunEntry,
  type SendEntry,
} from '../recording';

/** A call with its answer; undefined if there was none when the run ended. */
export type AnsweredCall = CallEntry & { answer: AnswerEntry | undefined };

/** A recording, indexed for queries. */
export type Facts = {
  run: RunEntry;
  end: EndEntry;
  keys: KeyEntry[];
  calls: AnsweredCall[];
  listCalls(key: string): AnsweredCall[];
  requests: RequestEntry[];
  listRequests(key: string): RequestEntry[];
  findRequest(id: string): RequestEntry | undefined;
  messages: MessageEntry[];
  listMessages(requestId: string): MessageEntry[];
  listAttempts(messageId: string): AttemptEntry[];
  sends: SendEntry[];
  listSends(message: MessageEntry): SendEntry[];
  findKey(key: string): KeyEntry | undefined;
  faults: FaultEntry[];
  entries: readonly Entry[];
};

export type Violation = { invariant: string; detail: string };

export function readFacts(entries: readonly Entry[]): Facts {
  const [run] = filterEntries(entries, 'run');
  const [end] = filterEntries(entries, 'end');
  if (!run || !end)
    throw new Error('The recording is incomplete: it needs a `run` and an `end` entry');
  const answers = new Map(filterEntries(entries, 'answer').map((answer) => [answer.call, answer]));
  const calls = filterEntries(entries, 'call').map((call) => ({
    ...call,
    answer: answers.get(call.call),
  }));
  const keys = filterEntries(entries, 'key');
  const requests = filterEntries(entries, 'request');
  const messages = filterEntries(entries, 'message');
  const sends = filterEntries(entries, 'send');
  const attempts = filterEntries(entries, 'attempt').sort((a, b) => a.number - b.number);
  const sendsByTarget = groupBy(sends, getPlaceKey);
  const keyByName = new Map(keys.map((key) => [key.key, key]));
  const requestById = new Map(requests.map((request) => [request.id, request]));
  return {
    run,
    end,
    keys,
    calls,
    listCalls: groupBy(calls, ({ key }) => key),
    requests,
    listRequests: groupBy(requests, ({ key }) => key),
    findRequest: (id) => requestById.get(id),
    messages,
    listMessages: groupBy(messages, ({ requestId }) => requestId),
    listAttempts: groupBy(attempts, ({ messageId }) => messageId),
    sends,
    listSends: (message) => sendsByTarget(getPlaceKey(message)),
    findKey: (key) => keyByName.get(key),
    faults: filterEntries(entries, 'fault'),
    entries,
  };
}

function groupBy<T>(members: readonly T[], getName: (member: T) => string) {
  const groups = new Map<string, T[]>();
  for (const member of members) {
    const group = groups.get(getName(member));
    if (group) group.push(member);
    else groups.set(getName(member), [member]);
  }
  return (name: string): T[] => groups.get(name) ?? [];
}

export function isSuccess({ answer }: AnsweredCall): boolean {
  return answer?.status === 200;
}

/** The client does not know whether the call was accepted. */
export function isUnclear({ answer }: AnsweredCall): boolean {
  return answer === undefined || answer.status === 0 || answer.status === 503;
}
