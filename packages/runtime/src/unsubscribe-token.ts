import type { Secrets } from './secrets';

/** The person and the switch that a link changes. Complete by itself, because messages are removed before links expire. */
export type UnsubscribeToken = {
  appId: string;
  messageId: string;
  /** Absent if the call named no user. */
  userId?: string;
  channel: string;
  /** The category of the event. */
  category?: string;
  /** The message's target: shown masked, and suppressed if the user is not stored. */
  target: string;
};

/** A longer life than any law asks for: 60 days in Canada, 30 in the USA. */
const validDays = 365;

const place = 'unsubscribe';
const dayMs = 24 * 60 * 60 * 1_000;

/** Seals a token for use in a URL, so that only we can create and read it. The day is when it stops working. */
export function writeUnsubscribeToken(
  { appId, messageId, userId, channel, category, target }: UnsubscribeToken,
  { secrets, nowMs }: { secrets: Pick<Secrets, 'seal'>; nowMs: number },
): string {
  const lastDay = Math.floor(nowMs / dayMs) + validDays;
  const ids = [packId(appId), packId(messageId)];
  const facts = [lastDay, ...ids, channel, category ?? '', userId ?? '', target];
  return secrets.seal(JSON.stringify(facts), place);
}

/** Undefined for a text that we did not create with a key of the ring, or that expired. */
export function readUnsubscribeToken(
  text: string,
  { secrets, nowMs }: { secrets: Pick<Secrets, 'open'>; nowMs: number },
): UnsubscribeToken | undefined {
  if (text.length > maxCharacters) return undefined;
  try {
    // Safe cast: writeUnsubscribeToken sealed it.
    const [lastDay, app, message, channel, category, userId, target] = JSON.parse(
      secrets.open(text, place),
    ) as [number, string, string, string, string, string, string];
    if (Math.floor(nowMs / dayMs) > lastDay) return undefined;
    return {
      appId: unpackId(app),
      messageId: unpackId(message),
      channel,
      target,
      ...(category && { category }),
      ...(userId && { userId }),
    };
  } catch {
    return undefined;
  }
}

/** The longest user IDs and addresses need about 4,000. */
const maxCharacters = 8_192;

/** A UUID in 22 characters instead of 36. */
function packId(uuid: string): string {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex').toString('base64url');
}

function unpackId(packed: string): string {
  const digits = Buffer.from(packed, 'base64url').toString('hex');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
