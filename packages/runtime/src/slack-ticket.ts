import type { Secrets } from './secrets';

/** Who may have which integration filled by an installation of the Slack app. */
export type SlackTicket = {
  integrationId: string;
  accountId: string;
  operatorId: string | undefined;
  /** Milliseconds since the epoch. */
  expiresAtMs: number;
};

const place = 'slack_ticket';

/** A text for an address: sealed, so that only we make and read it. */
export function writeSlackTicket(ticket: SlackTicket, secrets: Pick<Secrets, 'seal'>): string {
  return secrets.seal(JSON.stringify(ticket), place);
}

/** Undefined for what we did not write, and for what has run out. */
export function readSlackTicket(
  text: string,
  { secrets, nowMs }: { secrets: Pick<Secrets, 'open'>; nowMs: number },
): SlackTicket | undefined {
  try {
    // What opens here was sealed by writeSlackTicket.
    const ticket = JSON.parse(secrets.open(text, place)) as SlackTicket;
    return ticket.expiresAtMs > nowMs ? ticket : undefined;
  } catch {
    return undefined;
  }
}
