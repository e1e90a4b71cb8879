import type {
  ContactUpdate,
  Data,
  FailureReason,
  Json,
  Outcome,
  Recipient,
  SkipReason,
} from '@belfry/shared';
import type { TObject, TSchema } from '@sinclair/typebox';
import type { IntegrationInput } from './integration-input';
import type { ProviderRate } from './rate';
import type { ReceiptReader } from './receipt-reader';

export type { IntegrationInput } from './integration-input';
export type {
  HandshakeCall,
  LocalReceiptReader,
  ReceiptCall,
  ReceiptDownloads,
  ReceiptReader,
  ReceiptReport,
} from './receipt-reader';
export type { Reply, ReplyWish } from './replies';

/**
 * A channel defines how a recipient is addressed, how a template becomes content, and which
 * providers can send it. A channel knows no vendor; a provider knows no template.
 */
export type Channel<Template, Override, Content> = {
  /** Display name. */
  label: string;
  /** The template fields: stored per language in a version, and shown in the editor. */
  template: TObject;
  /** Fields of `override.<channel>` in a request, in wire names. Unknown keys are ignored. */
  override: TObject;
  /** Wire fields of `user` that the API schema does not define already. */
  recipient: Record<string, TSchema>;
  /**
   * One deadline for all provider calls of an attempt. It starts when the conversation with the
   * provider can start.
   */
  deadlineMs: number;
  /** Time limit for the senders' `prepare`, before the deadline starts. */
  preparationMs?: number;
  /** Resends after an unknown outcome, unless the version sets its own number. */
  unknownResends: number;
  /** The first provider needs no integration, so a live version need not name one. */
  isBuiltIn?: true;
  /** Messages carry the headers of a mailing list: `compose` reads `list`. */
  hasListHeaders?: true;
  /** The recipient's addresses, or why there are none. Decided once, during planning. */
  findTargets(recipient: Recipient, defaults?: AppDefaults): Targeting;
  /** Whether a target has several readers, such as a group, and so belongs to no user. */
  isShared?(target: string): boolean;
  /** The sealed credential that came with the recipient, on channels that accept one. */
  findOwnToken?(recipient: Recipient): string | undefined;
  /**
   * Parses a template once. Throws TemplateError for anything that must be refused on save.
   * `language` is the tag of the template's language; the default is English.
   */
  compile(template: Template, language?: string): CompiledTemplate<Override, Content>;
  /** The sandbox behaviour that a magic target selects: a key of `magicBehaviours`. */
  findMagicWord(target: string): string | undefined;
  /** The only provider that can carry a target. If absent, every provider can carry every target. */
  getTargetProvider?(target: string): string;
  providers: Record<string, Provider<Content>>;
};

/** The app's defaults for incomplete addresses. */
export type AppDefaults = {
  /** Two-letter region code (ISO 3166-1) for phone numbers without a country code. */
  defaultRegion?: string | null | undefined;
};

export type Targeting = { targets: Target[] } | { skip: SkipReason; detail: string };

export type Target = {
  /** Stored as the message's target, in the channel's canonical form. */
  address: string;
  /** The changes made during normalization, for the log. */
  note?: string;
  /**
   * The stored device that owns the address. The message goes only to this device, and nowhere once
   * the device belongs to another user.
   */
  deviceId?: string;
};

export type CompiledTemplate<Override, Content> = {
  /** Paths that the template reads, for the editor and for warnings at publish. */
  paths: string[];
  compose(input: ComposeInput<Override>): ComposeResult<Content>;
};

export type ComposeInput<Override> = {
  data: Data;
  target: string;
  override: Override | undefined;
  /** 'reject' fails the message when a path is missing. */
  missing: 'empty' | 'reject';
  /** Whether the event is sensitive: link previews stay off unless the template enables them. */
  isSensitive: boolean;
  /** Present for optional events, if their links work from outside. */
  list?: MailingList;
};

/** The facts that mail programs need for their unsubscribe button. */
export type MailingList = {
  /** A POST to it unsubscribes the recipient (RFC 8058). */
  unsubscribeUrl: string;
  /** RFC 2919, with its angle brackets. */
  id: string;
};

/** Facts logged with a message, such as the number of SMS segments. */
export type Notes = Record<string, string | number>;

export type ComposeResult<Content> =
  | { content: Content; missing: string[]; notes?: Notes }
  | { failed: FailureReason; detail: string };

/** A provider sends a channel's content. */
export type Provider<Content> = {
  label: string;
  /**
   * Settings that an operator enters and can read later. Every setting without `keepsCredentials`
   * binds the credentials.
   */
  settings: TObject;
  /** Sealed values that are never shown again; `credential-marks.ts` defines their marks. */
  credentials: TObject;
  /** Creates the credentials with `madeByBelfry` when they are absent or an operator removes them. */
  makeCredentials?(): Promise<Record<string, string>>;
  /** The request fields that `override.providers` may set: never a credential or an address. */
  payload: TObject;
  /** The provider's rate limits. */
  rate?: ProviderRate;
  /**
   * How many messages of one integration a process may send at once. If absent, there is no limit
   * besides the messages in flight: HTTP senders open a connection per call.
   */
  getMaxConnections?(settings: Record<string, unknown>): number;
  /**
   * Problems that the schemas cannot express, as "<field> <problem>". Empty when the integration is
   * valid.
   */
  check(integration: IntegrationInput): string[];
  /** The DNS record that lets receivers verify an integration's messages, if it signs them. */
  getDnsRecord?(integration: IntegrationInput): DnsRecord | undefined;
  /** The exact request without any credential, as the sandbox records it and the log shows it. */
  describe(call: DescribeCall<Content>): ProviderRequest;
  createSender(deps: SenderDeps): Sender<Content>;
  /** Reads delivery receipts, if the provider sends any. */
  receipts?: ReceiptReader;
};

/** A TXT record. */
export type DnsRecord = { name: string; value: string };

export type DescribeCall<Content> = {
  messageId: string;
  target: string;
  content: Content;
  settings: Record<string, unknown>;
  /** Fields from the call, merged last into the provider's request; only fields of `payload`. */
  payload?: Record<string, unknown>;
};

/**
 * A provider's request as the log shows it. `operation` is the HTTP method and URL, or the
 * protocol's verb.
 */
export type ProviderRequest = { operation: string; body: unknown };

export type SenderDeps = {
  /** API base URL per provider name, when it is not the provider's own (simulators). */
  baseUrls: Record<string, string | undefined>;
  /** Hosts that may have private addresses and use any port; see `parsePrivateHosts`. */
  allowedPrivateHosts: readonly string[];
  /**
   * Counts connections to mail servers across all workers. If absent, only `getMaxConnections`
   * limits them.
   */
  hostConnections?: HostConnections;
  /** Looks up DNS records of the type TXT, like `node:dns`. If absent, the system's DNS servers. */
  resolveTxt?(name: string): Promise<string[][]>;
};

export type HostConnections = {
  /**
   * Counts a connection to a host, or renews its count. `refused`: the connection must not be open.
   * `wanted`: it may be open, but others are waiting for one. Never rejects.
   */
  take(host: string, connectionId: string): Promise<'granted' | 'wanted' | 'refused'>;
  release(host: string, connectionId: string): void;
};

/** An integration with the credentials to call its provider. */
export type ConnectCall = IntegrationInput & {
  integrationId: string;
  /** Changes when settings or credentials change, so that clients can be cached. */
  integrationVersion: string;
  messageId: string;
};

/** Everything about a message except its deadline. */
export type UnsentCall<Content> = DescribeCall<Content> &
  ConnectCall & {
    /** A decrypted credential from the call or the stored user, for this send only. */
    ownToken?: string;
    /**
     * The URL where the provider may report on this message. Absent when the URL cannot be reached
     * from outside.
     */
    receiptUrl?: string;
    /** Present if the target is the endpoint of a stored web push subscription. */
    webPush?: WebPushFacts;
    /** The envelope sender of a mail whose bounces come to Belfry. Absent in a connection test. */
    buildBounceAddress?(mail: { domain: string; hasCopies: boolean }): string;
  };

/** The keys of a web push subscription, and when the message expires. */
export type WebPushFacts = { p256dh: string; auth: string; expiresAtMs: number };

export type Deadline = {
  /** Aborts the attempt; the sender must stop with it. */
  signal: AbortSignal;
  /** When the signal fires, in ms since the epoch. */
  deadlineAt: number;
};

export type SendCall<Content> = UnsentCall<Content> & Deadline;

/** A message whose provider can be called now. */
export type PreparedSend = {
  send(deadline: Deadline): Promise<SendResult>;
  /** Called once, whether the message was sent or not. */
  release(): void;
};

export type Sender<Content> = {
  /**
   * Reserves a connection for a later `prepare` of the message, until `release`. Undefined when no
   * connection was free before the signal fired.
   */
  reserve?(call: ConnectCall, signal: AbortSignal): Promise<{ release(): void } | undefined>;
  /**
   * Gets what is needed before the provider call: files, an access token, a connection. This does
   * not count toward the deadline. Undefined when no connection was free before the signal fired.
   * Never throws, like `send`.
   */
  prepare?(
    call: UnsentCall<Content>,
    signal: AbortSignal,
  ): Promise<PreparedSend | SendResult | undefined>;
  /**
   * Prepares and sends. Never throws for provider or network errors. `response` is the provider's
   * response, for the log.
   */
  send(call: SendCall<Content>): Promise<SendResult>;
  /** Checks the credentials with the provider without sending a message. Never throws. */
  test(call: TestCall): Promise<ConnectionTestResult>;
  close(): Promise<void>;
};

export type SendResult = {
  outcome: Outcome;
  /** The request that was sent, when `describe` could not know all of it. */
  request?: ProviderRequest;
  response?: unknown;
  /** Changes to the address that the response implies; stored with the result. */
  changes?: ContactUpdate[];
  /** The inbox item for the user; stored with the result, once per message. */
  inboxItem?: Record<string, Json>;
};

export type TestCall = IntegrationInput & {
  signal: AbortSignal;
  /** An address of a bounce domain for a test mail. Absent for an integration that is not saved. */
  buildTestAddress?(domain: string): string;
  /** The result of the last test mail. */
  mailSignature?: string | null;
  /** Where the provider may call us; only for an integration that is saved. */
  receiptUrl?: string;
};

/** `detail` is a sentence with the provider's answer, without any credential. */
export type ConnectionTestResult = { isWorking: boolean; detail: string };

/** A channel with unknown type parameters. */
// biome-ignore lint/suspicious/noExplicitAny: the registry is heterogeneous; compile() and the providers of one entry always agree.
export type AnyChannel = Channel<any, any, any>;
