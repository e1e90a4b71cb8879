import assert from 'node:assert/strict';
import net from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { call, type HttpAnswer } from './http-call';
import { type Attack, createSender, type Sender, send, type Target } from './target';

const stalledBytes = [...Array<number>(6).fill(9_150_000), 9_099_990];
const declaredBytes = 9_900_000;
/** The bytes that the server accepts have arrived by then. */
const uploadMs = 4_000;
const answerMs = 2_000;

export const bodyAttacks: Attack[] = [
  {
    kind: 'S6',
    title:
      'with 64 MB of unfinished bodies of one account, other accounts and receipts are answered at once',
    async run(target) {
      const receiptPath = await findReceiptPath(target);
      const sender = createSender(target.local);
      const stalled = stalledBytes.map((bytes) => stallUpload(sender, bytes));
      try {
        await waitUntilFull(sender);
        await assertAnswered(target, receiptPath);
      } finally {
        for (const socket of stalled) socket.destroy();
      }
    },
  },
];

/** Opens a call, sends this much of its body, then stops. */
export function stallUpload({ apiUrl, apiKey, appId }: Sender, bytes: number) {
  const { hostname, port, host } = new URL(apiUrl);
  const socket = net.connect(Number(port), hostname);
  // A server that refuses the body closes the connection.
  socket.on('error', () => socket.destroy());
  socket.write(
    [
      `POST /v1/apps/${appId}/events/send HTTP/1.1`,
      `Host: ${host}`,
      `Authorization: AuthKey ${apiKey}`,
      'Content-Type: application/json',
      `Content-Length: ${declaredBytes}`,
      '\r\n',
    ].join('\r\n'),
  );
  socket.write(Buffer.alloc(bytes, ' '));
  return socket;
}

/** Until the attacker's own calls are refused: then the bodies are in memory. */
async function waitUntilFull(sender: Sender): Promise<void> {
  const endsAtMs = performance.now() + uploadMs;
  while (performance.now() < endsAtMs) {
    if ((await send(sender, unknownEvent)).status !== 404) return;
    await wait(100);
  }
}

const unknownEvent = JSON.stringify({ event: 'none', user: { user_id: 'ana' } });

async function assertAnswered({ local, otherAccount }: Target, receiptPath: string): Promise<void> {
  const sender = createSender(local, otherAccount);
  const answers: [string, number, () => Promise<HttpAnswer>][] = [
    ['a small call', 404, () => send(sender, unknownEvent)],
    ['a call of 1 MB', 404, () => send(sender, unknownEvent.padEnd(1_000_000))],
    ['a receipt', 403, () => postReceipt(sender.apiUrl, receiptPath)],
  ];
  for (const [name, status, sendRequest] of answers) {
    const beganAtMs = performance.now();
    const answer = await sendRequest();
    const tookMs = performance.now() - beganAtMs;
    assert.equal(answer.status, status, `${name}: ${answer.status} ${answer.text}`);
    assert.ok(tookMs < answerMs, `${name} took ${Math.round(tookMs)} ms`);
  }
}

async function findReceiptPath({ owner, local }: Target): Promise<string> {
  const at = `/api/apps/${local.ready.app_id}/integrations`;
  const { receiptUrl } = await owner.sendOk('POST', at, {
    channel: 'sms',
    provider: 'twilio',
    name: 'receipts-under-load',
    settings: { sender: '+15005550009' },
    credentials: { account_sid: `AC${'0'.repeat(32)}`, auth_token: 'f'.repeat(32) },
  });
  return new URL(receiptUrl).pathname;
}

/** Unsigned: it is refused, but only after its body was read. */
function postReceipt(apiUrl: string, path: string): Promise<HttpAnswer> {
  return call(apiUrl, path, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'MessageStatus=sent',
  });
}
