import type {
  ContactUpdate,
  Data,
  FailureReason,
  Json,
  Outcome,
  ReceiptState,
  Recipient,
  RefusalReason,
  SkipReason,
} from '@belfry/shared';
import type { TObject, TSchema } from '@sinclair/typebox';
import type { ProviderRate } from './rate';

/**
 * A channel: how a recipient is addressed, how a template becomes content, and who can carry it.
 * It knows no vendor; a provider knows no template.
 */
export type Channel<Template, Override, Content> = {
  /** What a person reads. */
  label: string;
  /** The fields of a template: what a version stores a language, and what the editor shows. */
  template: TObject;
  /** What `override.<channel>` of a call may hold, in wire names; unknown keys are ignored. */
  override: TObject;
  /** Wire fields of `user` that the interface does not name already. */
  recipient: Record<string, TSchema>;
  /** One deadline over all calls of an attempt. It begins when the conversation with the provider can begin. */
  deadlineMs: number;
  /** How long the `prepare` of its senders may take before that. */
  preparationMs?: number;
  /** How often a message is sent again after an unknown outcome, unless the version says otherwise. */
  unknownResends: number;
  /** Its first provider needs no integration: live too, a version need not name one. */
  isBuiltIn?: true;
  /** The addresses of a recipient on this channel, or why there is none. Decided once, when the item is planned. */
  findTargets(recipient: Recipient, defaults?: AppDefaults): Targeting;
  /** Whether a target is a place of several people, such as a group: what was sent there is nobody's own. */
  isShared?(target: string): boolean;
  /** The credential that came with the recipient, still sealed, where a channel takes one. */
  findOwnToken?(recipient: Recipient): string | undefined;
  /**
   * Parses a template once; throws TemplateError for what must be refused when it is saved. `language` is the tag of the
   * language that the template is written in, English unless it is given.
   */
  compile(template: Template, language?: string): CompiledTemplate<Override, Content>;
  /** The sandbox behaviour that a target asks for, if it is a magic one: a key of `magicBehaviours`. */
  findMagicWord(target: string): string | undefined;
  providers: Record<string, Provider<Content>>;
};

/** What an app says about addresses that say too little. */
export type AppDefaults = {
  /** Two letters (ISO 3166-1): phone numbers without country code are read in it. */
  defaultRegion?: string | null | undefined;
};

export type Targeting = { targets: Target[] } | { skip: SkipReason; detail: string };

export type Target = {
  /** What is stored as the message's target, in the channel's own canonical form. */
  address: string;
  /** What was changed to get there, for the log. */
  note?: string;
  /** The stored device whose address it is; the message is for it alone, and goes nowhere once it is another one's. */
  deviceId?: string;
};

export type CompiledTemplate<Override, Content> = {
  /** Paths that the template reads, for the editor and for publish-time warnings. */
  paths: string[];
  compose(input: ComposeInput<Override>): ComposeResult<Content>;
};

export type ComposeInput<Override> = {
  data: Data;
  target: string;
  override: Override | undefined;
  /** 'reject' makes a missing path a failure. */
  missing: 'empty' | 'reject';
  /** Whether the event is sensitive: links show no preview unless the template asks for it. */
  isSensitive: boolean;
};

/** What the log says beside a message, such as how many segments its text takes. */
export type Notes = Record<string, string | number>;

export type ComposeResult<Content> =
  | { content: Content; missing: string[]; notes?: Notes }
  | { failed: FailureReason; detail: string };

/** Who carries a channel's content. */
export type Provider<Content> = {
  label: string;
  /** What an operator fills in and may read again. Every setting that is not marked `keepsCredentials` binds the credentials. */
  settings: TObject;
  /** What is sealed and never shown again; `credential-marks.ts` has its marks. */
  credentials: TObject;
  /** The fields of its request that `override.providers` may set: never a credential, never the address. */
  payload: TObject;
  /** How fast it may be called. */
  rate?: ProviderRate;
  /**
   * How many messages of an integration one process may send at once. Without it, as many as it has in flight: HTTP senders open
   * a connection for each call.
   */
  getMaxConnections?(settings: Record<string, unknown>): number;
  /** Problems that the schemas cannot say, as "<field> <problem>"; empty when all is well. */
  check(integration: IntegrationInput): string[];
  /** Exactly what would go out, without any credential: what the sandbox records and the log shows. */
  describe(call: DescribeCall<Content>): ProviderRequest;
  createSender(deps: SenderDeps): Sender<Content>;
  /** How its later reports are read, where it sends any. */
  receipts?: ReceiptReader;
};

export type IntegrationInput = {
  settings: Record<string, unknown>;
  credentials: Record<string, unknown>;
};

export type DescribeCall<Content> = {
  messageId: string;
  target: string;
  content: Content;
  settings: Record<string, unknown>;
  /** What the call says in place of fields of the provider's request; merged last. Only what `payload` allows. */
  payload?: Record<string, unknown>;
};

/** A provider's request as the log shows it: `operation` is the method and URL, or the protocol's verb. */
export type ProviderRequest = { operation: string; body: unknown };

export type SenderDeps = {
  /** Where a provider's API is, when it is not where the provider says (simulators); by provider name. */
  baseUrls: Record<string, string | undefined>;
  /** Hosts that may be private and be reached on any port; see `parsePrivateHosts`. */
  allowedPrivateHosts: readonly string[];
  /** Counts connections to mail servers over all workers. Without it, only `getMaxConnections` bounds them. */
  hostConnections?: HostConnections;
};

export type HostConnections = {
  /**
   * Counts a connection to a host, or renews its count. `refused`: it may not be open. `wanted`: it may, but others wait for
   * one. Never rejects.
   */
  take(host: string, connectionId: string): Promise<'granted' | 'wanted' | 'refused'>;
  release(host: string, connectionId: string): void;
};

/** An integration with the credentials to call its provider. */
export type ConnectCall = IntegrationInput & {
  integrationId: string;
  /** Changes whenever settings or credentials change, so that clients can be kept. */
  integrationVersion: string;
  messageId: string;
};

/** Everything about a message but when its attempt ends. */
export type UnsentCall<Content> = DescribeCall<Content> &
  ConnectCall & {
    /** A credential that came with the call or the stored user, in clear, for this send only. */
    ownToken?: string;
    /** Where the provider may report about this message, which it names; absent where nobody could reach it. */
    receiptUrl?: string;
  };

export type Deadline = {
  /** Ends the attempt; the sender must not outlive it. */
  signal: AbortSignal;
  /** When the signal fires, in ms since the epoch. */
  deadlineAt: number;
};

export type SendCall<Content> = UnsentCall<Content> & Deadline;

/** A message whose provider can be asked now. */
export type PreparedSend = {
  send(deadline: Deadline): Promise<SendResult>;
  /** Called once, sent or not. */
  release(): void;
};

export type Sender<Content> = {
  /**
   * Keeps a connection for a message that `prepare` will be called for, until `release`. Undefined where none got free before
   * the signal fired.
   */
  reserve?(call: ConnectCall, signal: AbortSignal): Promise<{ release(): void } | undefined>;
  /**
   * Gets what is needed before the provider is asked: files, an access token, a connection. Its time is ours, so the deadline
   * begins after it. Undefined where no connection got free before the signal fired. Never throws, like `send`.
   */
  prepare?(
    call: UnsentCall<Content>,
    signal: AbortSignal,
  ): Promise<PreparedSend | SendResult | undefined>;
  /**
   * Prepares and sends. Never throws for what a provider or a network does; `response` is what the provider answered, for the
   * log.
   */
  send(call: SendCall<Content>): Promise<SendResult>;
  /** Asks the provider whether it takes these credentials, without sending anything. Never throws. */
  test(call: TestCall): Promise<ConnectionTestResult>;
  close(): Promise<void>;
};

export type SendResult = {
  outcome: Outcome;
  /** The request that was sent, if `describe` could not know all of it. */
  request?: ProviderRequest;
  response?: unknown;
  /** What was learned about the address; stored with the result. */
  changes?: ContactUpdate[];
  /** What the person finds in the inbox; stored with the result, once a message. */
  inboxItem?: Record<string, Json>;
};

export type TestCall = IntegrationInput & { signal: AbortSignal };

/** `detail` is a sentence: what the provider answered, without any credential. */
export type ConnectionTestResult = { isWorking: boolean; detail: string };

export type ReceiptReader = {
  /** The answer to a provider's question whether the address is ours, or undefined when it must be refused. */
  handshake?(call: HandshakeCall): string | undefined;
  /** The reports in a call, or undefined when it is not signed by the integration's own provider. */
  read(call: ReceiptCall): ReceiptReport[] | undefined;
};

export type HandshakeCall = IntegrationInput & { query: URLSearchParams };

export type ReceiptCall = IntegrationInput & {
  /** As the provider was given it: PUBLIC_URL, path and query. */
  url: string;
  /** Lower-case names. */
  headers: Record<string, string | string[] | undefined>;
  rawBody: Buffer;
};

export type ReceiptReport = {
  /** Ours, where the report brings it back. */
  messageId?: string;
  providerMessageId?: string;
  state: ReceiptState;
  /** Why the message ended, where `state` is `failed`; the recipient is blamed otherwise. */
  reason?: RefusalReason;
  errorCode?: string;
  /** What the operator reads. */
  detail?: string;
  changes?: ContactUpdate[];
  /** The signed content of this report: the same text when the provider repeats it, or when somebody replays it. */
  identity: string;
};

/** A channel whose type parameters the caller need not know. */
// biome-ignore lint/suspicious/noExplicitAny: the registry is heterogeneous; compile() and the providers of one entry always agree.
export type AnyChannel = Channel<any, any, any>;
