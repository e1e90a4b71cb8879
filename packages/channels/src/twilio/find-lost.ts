import { isRecord } from '../read-json';
import type { TwilioApi, TwilioFields, TwilioSession } from './api';

/** A sent message, and how long ago its call started. */
export type LostMessage = { fields: TwilioFields; elapsedMs: number };

/**
 * The ID of a message whose response was lost, if Twilio lists it: the same number and text, as old
 * as the call. Unknown when no message or several match, and when we do not know the text, as with
 * a template.
 */
export async function findLostMessage(
  api: TwilioApi,
  { fields: { To: to, Body: text }, elapsedMs }: LostMessage,
  session: TwilioSession,
): Promise<string | undefined> {
  if (typeof to !== 'string' || typeof text !== 'string' || session.signal.aborted)
    return undefined;
  const reply = await api.listMessages({ To: to, PageSize: maxListed }, session);
  if ('failure' in reply || !Array.isArray(reply.body['messages'])) return undefined;
  const startedAt = reply.answeredAt - elapsedMs - clockGrainMs;
  const fitting = reply.body['messages']
    .filter(isRecord)
    .filter(({ body, date_created: created }) => {
      const isSame = typeof body === 'string' && body.trim() === text.trim();
      return isSame && typeof created === 'string' && Date.parse(created) >= startedAt;
    });
  const [only, ...others] = fitting;
  const sid = only?.['sid'];
  return others.length === 0 && typeof sid === 'string' ? sid : undefined;
}

const maxListed = 20;
/**
 * Twilio's times are whole seconds. They are compared with its own clock, from the response's Date
 * header.
 */
const clockGrainMs = 1_000;
