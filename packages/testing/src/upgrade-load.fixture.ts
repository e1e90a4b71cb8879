import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '@belfry/runtime';
import { eventually, type SlackSimulator } from '@belfry/testing';

const sendersAtOnce = 4;
const keysPerPhase = 100;
const bulkItems = 3;
const tooManyRequests = { status: 429, headers: { 'retry-after': '1' }, body: {} };

export type App = { apiKey: string; appId: string };

type Call = { key: string; messages: number; path: string; body: unknown };

/** Every fifth call is a bulk send, which a worker plans. */
function createCall(number: number): Call {
  const key = newId();
  const createUser = (item: number) => {
    const channel = String(number * bulkItems + item).padStart(9, '0');
    return { user: { slack: { channel_id: `C${channel}` } } };
  };
  if (number % 5 !== 0) {
    return { key, messages: 1, path: 'send', body: { event: 'hello', ...createUser(0) } };
  }
  const batch = Array.from({ length: bulkItems }, (_, item) => createUser(item));
  return { key, messages: bulkItems, path: 'bulk_send', body: { event: 'hello', batch } };
}

const maxTries = 200;

/** Repeats a call until it is accepted, as a caller would. Returns the request's ID. */
async function post(apiUrl: string, { appId, apiKey }: App, call: Call): Promise<string> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const response = await fetch(new URL(`/v1/apps/${appId}/events/${call.path}`, apiUrl), {
      method: 'POST',
      headers: {
        Authorization: `AuthKey ${apiKey}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': call.key,
      },
      body: JSON.stringify(call.body),
    });
    const body = (await response.json()) as { request_id?: string };
    if (response.status === 200) return String(body.request_id);
    // 409: the key is running on the other gateway. 503: nothing was accepted, on a busy machine.
    if (![409, 503].includes(response.status))
      throw new Error(`${response.status}: ${JSON.stringify(body)}`);
    await sleep(50);
  }
  throw new Error(`The key ${call.key} was not accepted after ${maxTries} calls`);
}

export type Accepted = { gateway: string; ids: Set<string>; messages: number };

type LoadOptions = { app: App; gateways: string[]; slack: SlackSimulator };

/** Load on the gateways of the list, which may change meanwhile: each key in turn, every third one on all of them. */
export function startLoad({ app, gateways, slack }: LoadOptions) {
  const accepted: Accepted[] = [];
  let isEnding = false;
  let number = 0;

  async function sendOnce(): Promise<void> {
    number += 1;
    const own = number;
    if (own % 50 === 0) slack.fail({ on: 'chat.postMessage', reply: tooManyRequests });
    const call = createCall(own);
    const turn = own % gateways.length;
    const [first = '', ...others] = [...gateways.slice(turn), ...gateways.slice(0, turn)];
    const again = own % 3 === 0 ? others : [];
    const ids = await Promise.all([first, ...again].map((url) => post(url, app, call)));
    for (const url of again) ids.push(await post(url, app, call));
    accepted.push({ gateway: first, ids: new Set(ids), messages: call.messages });
  }
  const running = new Set<Promise<void>>();
  async function sendOn(): Promise<void> {
    while (!isEnding) {
      const sending = sendOnce();
      running.add(sending);
      await sending.finally(() => running.delete(sending));
      await sleep(50);
    }
  }
  const senders = Promise.all(Array.from({ length: sendersAtOnce }, sendOn));
  // Reported by `end`.
  senders.catch(() => undefined);

  return {
    accepted,
    /** Waits until each gateway of the list accepted more keys. */
    async waitForMore(): Promise<void> {
      await Promise.race([waitForKeys(accepted, gateways), senders]);
    },
    /** Sends no more calls to the gateway, and waits for those that may use it. */
    async leave(apiUrl: string): Promise<void> {
      gateways.splice(gateways.indexOf(apiUrl), 1);
      await Promise.all(running);
    },
    async end(): Promise<void> {
      isEnding = true;
      await senders;
    },
  };
}

async function waitForKeys(accepted: readonly Accepted[], gateways: readonly string[]) {
  const from = accepted.length;
  await eventually(
    () => {
      const later = accepted.slice(from);
      const counts = gateways.map((url) => later.filter(({ gateway }) => gateway === url).length);
      expect(Math.min(...counts)).toBeGreaterThan(keysPerPhase);
    },
    { timeoutMs: 120_000 },
  );
}
