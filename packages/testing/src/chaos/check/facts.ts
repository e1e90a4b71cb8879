import {
  type AnswerEntry,
  type AttemptEntry,
  type CallEntry,
  type EndEntry,
  type Entry,
  entriesOf,
  type FaultEntry,
  type KeyEntry,
  type MessageEntry,
  placeOf,
  type RequestEntry,
  type RunEntry,
  type SendEntry,
} from '../recording';

/** A call with its answer; undefined while there was none when the run ended. */
export type AnsweredCall = CallEntry & { answer: AnswerEntry | undefined };

/** A recording, arranged for asking. */
export type Facts = {
  run: RunEntry;
  end: EndEntry;
  keys: KeyEntry[];
  calls: AnsweredCall[];
  callsOf(key: string): AnsweredCall[];
  requests: RequestEntry[];
  requestsOf(key: string): RequestEntry[];
  findRequest(id: string): RequestEntry | undefined;
  messages: MessageEntry[];
  messagesOf(requestId: string): MessageEntry[];
  attemptsOf(messageId: string): AttemptEntry[];
  sends: SendEntry[];
  sendsOf(message: MessageEntry): SendEntry[];
  findKey(key: string): KeyEntry | undefined;
  faults: FaultEntry[];
  entries: readonly Entry[];
};

export type Violation = { invariant: string; detail: string };

export function readFacts(entries: readonly Entry[]): Facts {
  const [run] = entriesOf(entries, 'run');
  const [end] = entriesOf(entries, 'end');
  if (!run || !end) throw new Error('The recording has no begin or no end');
  const answers = new Map(entriesOf(entries, 'answer').map((answer) => [answer.call, answer]));
  const calls = entriesOf(entries, 'call').map((call) => ({
    ...call,
    answer: answers.get(call.call),
  }));
  const keys = entriesOf(entries, 'key');
  const requests = entriesOf(entries, 'request');
  const messages = entriesOf(entries, 'message');
  const sends = entriesOf(entries, 'send');
  const attempts = entriesOf(entries, 'attempt').sort((a, b) => a.number - b.number);
  const sendsByTarget = groupBy(sends, placeOf);
  const keyByName = new Map(keys.map((key) => [key.key, key]));
  const requestById = new Map(requests.map((request) => [request.id, request]));
  return {
    run,
    end,
    keys,
    calls,
    callsOf: groupBy(calls, ({ key }) => key),
    requests,
    requestsOf: groupBy(requests, ({ key }) => key),
    findRequest: (id) => requestById.get(id),
    messages,
    messagesOf: groupBy(messages, ({ requestId }) => requestId),
    attemptsOf: groupBy(attempts, ({ messageId }) => messageId),
    sends,
    sendsOf: (message) => sendsByTarget(placeOf(message)),
    findKey: (key) => keyByName.get(key),
    faults: entriesOf(entries, 'fault'),
    entries,
  };
}

function groupBy<T>(members: readonly T[], nameOf: (member: T) => string) {
  const groups = new Map<string, T[]>();
  for (const member of members) {
    const group = groups.get(nameOf(member));
    if (group) group.push(member);
    else groups.set(nameOf(member), [member]);
  }
  return (name: string): T[] => groups.get(name) ?? [];
}

export function isSuccess({ answer }: AnsweredCall): boolean {
  return answer?.status === 200;
}

/** A call of which its client does not know whether it was accepted. */
export function isUnclear({ answer }: AnsweredCall): boolean {
  return answer === undefined || answer.status === 0 || answer.status === 503;
}
