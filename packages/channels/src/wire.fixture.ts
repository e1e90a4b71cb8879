import type { Data } from '@belfry/shared';
import type { HttpRequest } from '@belfry/testing';
import type { AnyChannel, ComposeResult } from './channel';
import { subjects } from './provider-subjects.fixture';
import { channels } from './registry';

/** The body of a request as the provider parsed it. */
export type WireBody = Record<string, unknown>;

export type SendTemplateOptions = {
  data?: Data;
  override?: unknown;
  isSensitive?: boolean;
  /** Fields of the call for the provider's request. */
  payload?: Record<string, unknown>;
};

const deadlineMs = 5_000;

/**
 * Compiles, composes and sends a template as a worker does, to the simulator of
 * `<channel>/<provider>`. Returns the composed message and the last request as received, which is
 * undefined when nothing was sent.
 */
export async function sendTemplate(
  provider: string,
  template: object,
  { data = {}, override, isSensitive = false, payload }: SendTemplateOptions = {},
): Promise<{ composed: ComposeResult<unknown>; body: WireBody | undefined }> {
  const stage = await subjects[provider]?.start();
  if (!stage) throw new Error(`No provider ${provider}`);
  const composed = findChannel(provider).compile(template).compose({
    data,
    target: stage.call.target,
    override,
    missing: 'empty',
    isSensitive,
  });
  if ('failed' in composed) return { composed, body: undefined };
  const signal = AbortSignal.timeout(deadlineMs);
  const call = { ...stage.call, content: composed.content, signal, ...(payload && { payload }) };
  const { outcome } = await stage.sender.send({ ...call, deadlineAt: Date.now() + deadlineMs });
  expect(outcome).toMatchObject({ outcome: 'accepted' });
  const request = stage.requests?.().at(-1);
  return { composed, body: request && readBody(request) };
}

export function findChannel(provider: string): AnyChannel {
  const [name = ''] = provider.split('/');
  const channel = Object.entries(channels).find(([each]) => each === name)?.[1];
  if (!channel) throw new Error(`No channel ${name}`);
  return channel;
}

/** A JSON body, or a form whose values may be JSON. */
function readBody({ headers, body }: HttpRequest): WireBody {
  const text = body.toString('utf8');
  if (headers['content-type']?.includes('json')) return JSON.parse(text);
  return Object.fromEntries(
    [...new URLSearchParams(text)].map(([name, value]) => [name, readValue(value)]),
  );
}

function readValue(value: string): unknown {
  if (value === 'true' || value === 'false' || /^[[{]/.test(value)) return JSON.parse(value);
  return value;
}
