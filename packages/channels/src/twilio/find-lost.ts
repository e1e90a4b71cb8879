import { isRecord } from '../read-json';
import type { TwilioApi, TwilioFields, TwilioSession } from './api';

/** What was sent, and how long ago the call began. */
export type LostMessage = { fields: TwilioFields; elapsedMs: number };

/**
 * The id of a message whose answer was lost, if Twilio lists it: a text to the same number that is as old as the call.
 * Where none or several fit nobody can know, and neither where the text was not ours to begin with, as in a template.
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
/** Twilio's times are whole seconds; they are compared with its own clock, from the answer's Date. */
const clockGrainMs = 1_000;
