import type { Secrets } from './secrets';

/** Permission of an operator to fill an integration by installing the Slack app. */
export type SlackTicket = {
  integrationId: string;
  accountId: string;
  operatorId: string | undefined;
  /** Milliseconds since the epoch. */
  expiresAtMs: number;
};

const place = 'slack_ticket';

/** Seals a ticket for use in a URL, so that only we can create and read it. */
export function writeSlackTicket(ticket: SlackTicket, secrets: Pick<Secrets, 'seal'>): string {
  return secrets.seal(JSON.stringify(ticket), place);
}

/** Undefined for a text that we did not create, or that expired. */
export function readSlackTicket(
  text: string,
  { secrets, nowMs }: { secrets: Pick<Secrets, 'open'>; nowMs: number },
): SlackTicket | undefined {
  try {
    // Safe cast: writeSlackTicket sealed it.
    const ticket = JSON.parse(secrets.open(text, place)) as SlackTicket;
    return ticket.expiresAtMs > nowMs ? ticket : undefined;
  } catch {
    return undefined;
  }
}
