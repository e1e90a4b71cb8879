import type { ContactUpdate, ReceiptState, RefusalReason } from '@belfry/shared';
import type { GuardedFetch } from './guarded-fetch';
import type { IntegrationInput } from './integration-input';
import type { Reply } from './replies';

export type ReceiptReader = {
  /** The response to a provider that verifies our callback URL, or undefined to refuse it. */
  handshake?(call: HandshakeCall): string | undefined;
  /**
   * The reports in a call, or undefined when the signature is not that of the integration's
   * provider.
   */
  read(call: ReceiptCall, downloads: ReceiptDownloads): ReceiptRead | Promise<ReceiptRead>;
  /** The replies of people in a call whose signature `read` has verified. */
  readReplies?(call: ReceiptCall): Reply[];
  /** The provider expects this in our answer to every call, instead of JSON. */
  answer?: { type: string; body: string };
  /** The connection test gives the URL to the provider, so operators need not enter it there. */
  registersUrl?: true;
  /** Only failures are reported, or no delivery at all, so no report says nothing. */
  reportsFailuresOnly?: true;
};

export type ReceiptRead = ReceiptReport[] | undefined;

/** A reader that needs nothing but the integration. */
export type LocalReceiptReader = Omit<ReceiptReader, 'read'> & {
  read(call: ReceiptCall): ReceiptRead;
};

/** Downloads that verify a call, such as a certificate. A reader calls only hosts that it knows itself. */
export type ReceiptDownloads = {
  fetch: GuardedFetch['fetch'];
  /** Base URLs of simulators per provider name, in place of those hosts. */
  simulators: Record<string, string | undefined>;
};

export type HandshakeCall = IntegrationInput & { query: URLSearchParams };

export type ReceiptCall = IntegrationInput & {
  /** The URL as registered with the provider: PUBLIC_URL, path and query. */
  url: string;
  /** Names are lower case. */
  headers: Record<string, string | string[] | undefined>;
  rawBody: Buffer;
};

export type ReceiptReport = {
  /**
   * Our own message ID: the only way to find the message. It comes from the query of
   * `receiptUrl`, or from the provider's reference field. Or the unchecked bounce address of a
   * mail, which names its message.
   */
  messageId?: string;
  /** Only recorded. */
  providerMessageId?: string;
  /** The address that the report is about. A report about a copy of a mail changes nothing. */
  recipient?: string;
  state: ReceiptState;
  /** Why the message failed, when `state` is `failed`. The default blames the recipient. */
  reason?: RefusalReason;
  errorCode?: string;
  /** Shown to the operator. */
  detail?: string;
  changes?: ContactUpdate[];
  /**
   * The signed content of this report: identical when the provider repeats it or an attacker
   * replays it.
   */
  identity: string;
  /** The provider signs only the identity, so it counts once, whichever message the report names. */
  identifiesCall?: true;
  /** Whether a mail server signed the mail of a connection test. Such a report is about no message. */
  mailSignature?: string;
  /** Stored in place of the received body, which may hold a mail's content or reports of other apps. */
  record?: string;
};
