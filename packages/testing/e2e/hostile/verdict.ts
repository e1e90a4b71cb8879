import { errorCatalogue } from '@belfry/shared';
import type { Call } from './calls';
import type { Answer } from './exchange';

/** The problem of an answer to any call; undefined if it has none. */
export function findProblem(answer: Answer, method: string): string | undefined {
  if (answer.status >= 500) return `answered ${answer.status}`;
  // Answers to HEAD have no body.
  if (method === 'HEAD') return undefined;
  // The API reference is HTML.
  if (answer.status === 200) return undefined;
  if (!String(answer.headers['content-type']).startsWith('application/json')) {
    return `answered ${answer.headers['content-type']}`;
  }
  const body = parseBody(answer);
  return body ? findErrorProblem(answer, body) : 'the answer is not a JSON object';
}

function parseBody({ text }: Answer): Readonly<Record<string, unknown>> | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return isRecord(body) ? body : undefined;
  } catch {
    return undefined;
  }
}

function findErrorProblem(
  { status, headers }: Answer,
  body: Readonly<Record<string, unknown>>,
): string | undefined {
  const { success, error, code, request_id: requestId } = body;
  const statuses: Readonly<Record<string, { status: number }>> = errorCatalogue;
  if (success !== false || typeof error !== 'string' || error === '')
    return 'the answer is not an error in our shape';
  if (statuses[String(code)]?.status !== status)
    return `the answer has status ${status} and code ${String(code)}`;
  return requestId === headers['x-request-id']
    ? undefined
    : 'request_id differs from the X-Request-Id header';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The data that must be stored according to the answers. */
export type Ledger = {
  /** Item counts of requests, by request ID. */
  requests: Map<string, number>;
  /** Calls with a stored idempotency key. */
  idempotentCalls: Set<string>;
  users: Set<string>;
  devices: Set<string>;
  /** Users whose front end was set up, by their own ID. */
  readers: Set<string>;
  /** Counts of accepted signed calls, from front ends and from providers. */
  signedCalls: { frontEnds: number; providers: number };
};

export function createLedger(): Ledger {
  return {
    requests: new Map(),
    idempotentCalls: new Set(),
    users: new Set(),
    devices: new Set(),
    readers: new Set(),
    signedCalls: { frontEnds: 0, providers: 0 },
  };
}

export function enter(ledger: Ledger, call: Call, answer: Answer): void {
  if (answer.status !== 200 || answer.headers['idempotent-replayed']) return;
  if (isOfFrontEnd(call)) enterReader(ledger, call);
  else enterStored(ledger, call, answer);
}

function isOfFrontEnd({ path }: Call): boolean {
  return path.includes('/in_app_notifications/');
}

/** Idempotency-Key has no effect on these routes. */
function enterReader(ledger: Ledger, { method, path }: Call): void {
  if (method === 'OPTIONS') return;
  ledger.signedCalls.frontEnds += 1;
  const { pathname, searchParams } = new URL(path, 'http://localhost');
  const userId = searchParams.get('user_id');
  if (/\/setup\/?$/.test(pathname) && userId) ledger.readers.add(userId);
}

/** Other routes that only browsers call. They ignore the key, too. */
const isOfBrowsers = /\/(in_app|fcm)\/|\/users\/sdk/;

function enterStored(ledger: Ledger, { method, path, headers }: Call, answer: Answer): void {
  const body = parseBody(answer) ?? {};
  if (body['request_id'])
    ledger.requests.set(String(body['request_id']), Number(body['accepted'] ?? 1));
  if (body['user_sid']) ledger.users.add(String(body['user_sid']));
  if (body['device_sid']) ledger.devices.add(String(body['device_sid']));
  if (path.startsWith('/v1/receipts/')) ledger.signedCalls.providers += 1;
  const hasIdempotencyKey = headers.some(([name]) => name === 'Idempotency-Key');
  if (method === 'POST' && hasIdempotencyKey && !isOfBrowsers.test(path))
    ledger.idempotentCalls.add(String(answer.headers['x-request-id']));
}
