import { setTimeout as wait } from 'node:timers/promises';
import { parsePhoneNumber } from '@belfry/channels';
import type { CaptureFilter, CapturePage } from '@belfry/pipeline/operate';
import { createSemaphore } from '@belfry/runtime';
import {
  capturedMessageToWire,
  isUuid,
  sandboxWaitAnswer,
  type WireChannels,
} from '@belfry/shared';
import { Type } from '@sinclair/typebox';
import type { Answer } from '../call';
import { createConcurrencyLimit } from '../concurrency-limit';
import type { Operation } from '../operation';
import { invalidValue, type Query, readQueryNumber, readQueryValue } from '../query-values';
import type { WaitingCall } from '../without-idempotency-key';

export type SandboxRouteDeps = {
  channels: WireChannels;
  /** Undefined if `after` is not the `next` of a response. */
  findCaptures(filter: CaptureFilter): Promise<CapturePage | undefined>;
  /** Whether the process is shutting down: waiting calls then end. */
  isClosing(): boolean;
};

const timeoutRule = { minimum: 0, maximum: 30, defaultValue: 10 };
const countRule = { minimum: 1, maximum: 100, defaultValue: 1 };
const maxToCharacters = 4_096;
const pollEveryMs = 200;
/** Leaves connections to other calls. */
const maxConcurrentReads = 2;
const maxWaiting = 200;
const maxWaitingOfAccount = 20;

/** `GET /v1/apps/{app_id}/sandbox/wait`: returns captured messages, waiting for them until the timeout. */
export function createSandboxRoute({ channels, findCaptures, isClosing }: SandboxRouteDeps) {
  const readSlots = createSemaphore(maxConcurrentReads);
  const acquireSlot = createConcurrencyLimit({
    max: maxWaiting,
    maxPerAccount: maxWaitingOfAccount,
  });
  const names = Object.keys(channels);

  async function readCaptures(filter: CaptureFilter): Promise<CapturePage> {
    const release = await readSlots.acquire();
    try {
      const page = await findCaptures(filter);
      if (page) return page;
    } finally {
      release();
    }
    throw invalidValue('after', 'must be the `next` of an earlier response');
  }

  async function answer({ caller, query, signal }: WaitingCall): Promise<Answer> {
    const { filter, count, timeoutMs } = readWaitQuery(query, names, caller.app.defaultRegion);
    const releaseSlot = acquireSlot(caller.accountId);
    try {
      const endsAtMs = performance.now() + timeoutMs;
      for (;;) {
        const page = await readCaptures({ ...filter, appId: caller.app.id });
        const leftMs = endsAtMs - performance.now();
        const isOver = leftMs <= 0 || signal.aborted || isClosing();
        if (isOver || page.captures.length >= count) return toAnswer(page);
        await pause(Math.min(leftMs, pollEveryMs), signal);
      }
    } finally {
      releaseSlot();
    }
  }

  return { operation: buildOperation(names), answer };
}

function toAnswer({ captures, next }: CapturePage): Answer {
  const body = { messages: captures.map(capturedMessageToWire), next };
  return { status: 200, body: JSON.stringify(body) };
}

type WaitQuery = { filter: Omit<CaptureFilter, 'appId'>; count: number; timeoutMs: number };

function readWaitQuery(
  query: Query,
  names: readonly string[],
  defaultRegion: string | null,
): WaitQuery {
  const channel = readQueryValue(query, 'channel');
  if (channel !== undefined && !names.includes(channel)) {
    throw invalidValue('channel', `must be one of ${names.join(', ')}`);
  }
  const requestId = readQueryValue(query, 'request_id');
  if (requestId !== undefined && !isUuid(requestId)) {
    throw invalidValue('request_id', 'must be the request_id of a send');
  }
  const to = readQueryValue(query, 'to');
  if (to !== undefined && to.length > maxToCharacters) {
    throw invalidValue('to', `must be at most ${maxToCharacters} characters`);
  }
  const seconds = readQueryNumber(query, 'timeout', timeoutRule);
  return {
    filter: {
      channel,
      requestId: requestId?.toLowerCase(),
      targets: to === undefined ? undefined : listSpellings(to, defaultRegion),
      after: readQueryValue(query, 'after'),
    },
    count: readQueryNumber(query, 'count', countRule),
    timeoutMs: seconds * 1_000,
  };
}

/** An unencoded `+` arrives as a space, and phone numbers come in many spellings. */
export function listSpellings(to: string, defaultRegion: string | null = null): string[] {
  const text = to.toLowerCase();
  const digits = text.replace(/[\s+().-]/g, '');
  const spellings = [text.trim(), text.replaceAll(' ', '+')];
  if (/^\d{7,15}$/.test(digits)) spellings.push(`+${digits}`);
  for (const spelling of [...spellings]) {
    const phone = parsePhoneNumber(spelling, defaultRegion);
    if ('address' in phone) spellings.push(phone.address);
  }
  return [...new Set(spellings)];
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  // An abort is not an error here: the caller checks the signal.
  await wait(ms, undefined, { signal }).catch(() => undefined);
}

export const capturedExample = {
  id: '0199b1f4-b310-7c42-9d05-61e0a7b4c2f1',
  request_id: '0199b1f4-8f2a-7c3e-9d51-3a1f0c6b7e42',
  message_id: '0199b1f4-9a10-7d21-8f60-2b7c1d5e8a03',
  event: 'order_shipped',
  channel: 'email',
  to: 'ana@example.com',
  subject: 'Your order A-1001 is on its way',
  text: 'Hello Ana',
  content: { subject: 'Your order A-1001 is on its way', text: 'Hello Ana' },
  data: {
    user_name: 'Ana',
    order: { id: 'A-1001', items: [{ quantity: 2, name: 'Bell rope' }] },
  },
  provider: 'smtp',
  request: { operation: 'SMTP', body: { to: 'ana@example.com' } },
  attempt: 1,
  outcome: 'accepted',
  captured_at: 1767225600000,
};

function buildOperation(names: readonly string[]) {
  return {
    method: 'get',
    path: '/v1/apps/{app_id}/sandbox/wait',
    id: 'waitForCaptures',
    summary: 'Wait for captured messages',
    description: `For tests. Responds as soon as the sandbox has captured \`count\` matching messages, or after \`timeout\` with those captured so far.
Earlier captures match too, so nothing is missed between a send and this call. To skip old ones, pass the \`request_id\` of the send
or the \`next\` of an earlier response. Reading removes nothing: the same call returns the same messages again. The newest 500
captures of an app are kept for 7 days. ${maxWaitingOfAccount} calls of an account may wait at the same time.`,
    query: {
      channel: {
        description: 'Only messages of this channel.',
        example: 'email',
        schema: Type.String({ enum: [...names] }),
      },
      to: {
        description:
          'Only messages to this address (the user_id for in_app). Phone numbers in any spelling.',
        example: 'ana@example.com',
        schema: Type.String({ maxLength: maxToCharacters }),
      },
      request_id: {
        description: 'Only messages of this request.',
        schema: Type.String({ format: 'uuid' }),
      },
      after: {
        description: 'Only messages captured after the response with this `next`.',
        schema: Type.String(),
      },
      count: {
        description: `Number of messages to wait for. Default: ${countRule.defaultValue}.`,
        schema: Type.Integer({ minimum: countRule.minimum, maximum: countRule.maximum }),
      },
      timeout: {
        description: `Seconds to wait. Default: ${timeoutRule.defaultValue}. 0 does not wait.`,
        schema: Type.Integer({ minimum: timeoutRule.minimum, maximum: timeoutRule.maximum }),
      },
    },
    answer: sandboxWaitAnswer,
    answerExample: { messages: [capturedExample], next: '81204:81204:' },
    errors: {
      validation_failed: { text: 'timeout must be a whole number from 0 to 30' },
    },
  } satisfies Operation;
}
