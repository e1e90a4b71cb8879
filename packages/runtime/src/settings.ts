/**
 * Every setting of Belfry, once: what it is called, how it is read, what it means when it is absent.
 * env.ts reads from this list and docs/reference/configuration.md is made from it.
 */
export const settings = {
  DATABASE_URL: text({
    group: 'stores',
    for: ['api', 'worker', 'cli', 'dashboard'],
    isRequired: true,
    isSecret: true,
    example: 'postgresql://belfry:secret@db:5432/belfry',
    help: 'PostgreSQL 15 or newer.',
  }),
  REDIS_URL: text({
    group: 'stores',
    for: ['api', 'worker', 'cli', 'dashboard'],
    isRequired: true,
    isOptionalFor: ['cli', 'dashboard'],
    isSecret: true,
    example: 'redis://:secret@redis:6379/0',
    help: 'Redis 7 or Valkey, with maxmemory-policy noeviction.',
  }),
  REDIS_PREFIX: text({
    group: 'stores',
    for: ['api', 'worker'],
    default: 'belfry',
    example: 'belfry',
    help: 'What every key in Redis begins with.',
  }),
  DATABASE_POOL_SIZE: integer({
    group: 'stores',
    for: ['api', 'worker', 'dashboard'],
    default: 8,
    minimum: 2,
    maximum: 100,
    help: 'Connections of one pool to PostgreSQL, at most. A gateway uses two pools, one for its statements and one for look-ups; a worker uses a third for what it does with every message.',
  }),

  BELFRY_KEYS: text({
    group: 'security',
    for: ['api', 'worker', 'cli', 'dashboard'],
    isRequired: true,
    isOptionalFor: ['cli'],
    isSecret: true,
    example: 'k2:<base64 of 32 bytes>,k1:<base64 of 32 bytes>',
    help: 'The key ring that seals credentials and tokens. The first key seals, all of them open.',
  }),
  PUBLIC_URL: text({
    group: 'security',
    for: ['api', 'worker', 'dashboard'],
    isRequired: true,
    example: 'https://notify.example.com',
    help: 'Where callers and providers reach the gateway.',
  }),
  ALLOW_HTTP: boolean({
    group: 'security',
    for: ['api', 'dashboard'],
    default: false,
    help: 'Accept plain HTTP. Only for loopback and for tests: the API key travels in clear.',
  }),
  TRUSTED_PROXIES: text({
    group: 'security',
    for: ['api', 'dashboard'],
    default: '',
    example: '10.0.0.0/8,127.0.0.1/32',
    help: 'Subnets of the proxies that end TLS and send exactly one X-Forwarded-Proto, comma separated.',
  }),
  TLS_CERT_FILE: text({
    group: 'security',
    for: ['api', 'dashboard'],
    default: '',
    example: '/run/secrets/tls.crt',
    help: 'Certificate chain in PEM; with TLS_KEY_FILE the gateway serves HTTPS itself.',
  }),
  TLS_KEY_FILE: text({
    group: 'security',
    for: ['api', 'dashboard'],
    default: '',
    example: '/run/secrets/tls.key',
    help: 'Private key of TLS_CERT_FILE in PEM.',
  }),
  ALLOWED_PRIVATE_HOSTS: text({
    group: 'security',
    for: ['worker', 'cli', 'dashboard'],
    default: '',
    example: 'mail.internal,10.0.0.25',
    help: 'Hosts, by the name or address that integrations and attachment URLs give, which may be private and may be reached on any port. All others must be public: attachments by https on port 443, mail servers on 25, 465, 587 or 2525.',
  }),

  API_HOST: text({
    group: 'gateway',
    for: ['api'],
    default: '127.0.0.1',
    example: '0.0.0.0',
    help: 'Address that the gateway listens on.',
  }),
  API_PORT: integer({
    group: 'gateway',
    for: ['api'],
    default: 4400,
    minimum: 0,
    maximum: 65535,
    help: 'Port that the gateway listens on; 0 takes a free one.',
  }),
  METRICS_HOST: text({
    group: 'logging',
    for: ['api', 'worker'],
    default: '127.0.0.1',
    example: '0.0.0.0',
    help: 'Address that METRICS_PORT and WORKER_PORT listen on. Who reaches it sees counts, and no more.',
  }),
  METRICS_PORT: integer({
    group: 'logging',
    for: ['api'],
    default: 0,
    minimum: 0,
    maximum: 65535,
    help: 'Port of the gateway’s `/metrics`; 0 takes a free one, named in the log.',
  }),
  WORKER_PORT: integer({
    group: 'logging',
    for: ['worker'],
    default: 0,
    minimum: 0,
    maximum: 65535,
    help: 'Port of a worker’s `/livez`, `/readyz` and `/metrics`; 0 takes a free one, named in the log.',
  }),
  MAX_BODY_BYTES: integer({
    group: 'gateway',
    for: ['api'],
    default: 10_000_000,
    minimum: 1_000,
    maximum: 50_000_000,
    help: 'Size of a request body, at most.',
  }),
  MAX_BODIES_IN_MEMORY_BYTES: integer({
    group: 'gateway',
    for: ['api'],
    default: 64_000_000,
    minimum: 10_000_000,
    maximum: 1_000_000_000,
    help: 'Bodies in memory at once, all calls together; beyond it calls are answered 503. At least 4 times MAX_BODY_BYTES. One account may use an eighth of it, or one largest body, and beyond it is answered 429; an eighth is reserved for bodies up to 64 KB, one for receipts of providers, one for what is read before the caller is known.',
  }),
  MAX_BATCH_ITEMS: integer({
    group: 'gateway',
    for: ['api'],
    default: 1_000,
    minimum: 1,
    maximum: 10_000,
    help: 'Elements of one bulk send, at most.',
  }),
  RATE_LIMIT_PER_SECOND: integer({
    group: 'gateway',
    for: ['api'],
    default: 0,
    minimum: 0,
    maximum: 1_000_000,
    help: 'Calls of one account in a second, over all gateways, at most; 0 sets no limit. Without Redis there is none.',
  }),
  LOOKUP_CACHE_MS: integer({
    group: 'gateway',
    for: ['api', 'worker'],
    default: 5_000,
    minimum: 0,
    maximum: 5_000,
    help: 'How long a key, an app or an event may be answered from memory.',
  }),

  DASHBOARD_HOST: text({
    group: 'dashboard',
    for: ['dashboard'],
    default: '127.0.0.1',
    example: '0.0.0.0',
    help: 'Address that the dashboard listens on.',
  }),
  DASHBOARD_PORT: integer({
    group: 'dashboard',
    for: ['dashboard'],
    default: 4401,
    minimum: 0,
    maximum: 65535,
    help: 'Port that the dashboard listens on; 0 takes a free one.',
  }),
  DASHBOARD_URL: text({
    group: 'dashboard',
    for: ['cli', 'dashboard'],
    default: 'http://127.0.0.1:4401',
    example: 'https://notify.example.com/dashboard',
    help: 'Where people open the dashboard: the link of `belfry operator reset` leads there. Over plain HTTP the dashboard refuses every other host, except localhost and loopback addresses.',
  }),
  ADMIN_EMAIL: text({
    group: 'dashboard',
    for: ['dashboard'],
    default: '',
    example: 'ops@example.com',
    help: 'With ADMIN_PASSWORD: an operator of the oldest account (made where there is none) that the dashboard makes when it starts. One that is there already keeps its password.',
  }),
  ADMIN_PASSWORD: text({
    group: 'dashboard',
    for: ['dashboard'],
    default: '',
    isSecret: true,
    example: 'a sentence that nobody guesses',
    help: 'Password of ADMIN_EMAIL, 12 to 256 characters.',
  }),

  WORKER_ROLES: text({
    group: 'worker',
    for: ['worker'],
    default: 'all',
    example: 'deliver-email,relay',
    help: 'Roles of this process, comma separated; `all` takes every one.',
  }),
  MESSAGES_IN_FLIGHT: integer({
    group: 'worker',
    for: ['worker'],
    default: 200,
    minimum: 1,
    maximum: 1_000,
    help: 'Messages of one channel that a process delivers at once, until their provider has answered; one integration holds at most half of them, and one of SMTP at most its `max_connections`. As many results may wait to be stored.',
  }),
  SMTP_CONNECTIONS_PER_HOST: integer({
    group: 'worker',
    for: ['worker'],
    default: 0,
    minimum: 0,
    maximum: 10_000,
    help: 'Connections to one mail server (by host name) that all workers may have open at once, whichever integrations they serve; 0 sets no limit. Messages that get none wait in the queue.',
  }),
  RELAY_POLL_MS: integer({
    group: 'worker',
    for: ['worker'],
    default: 250,
    minimum: 20,
    maximum: 10_000,
    help: 'How often the relay looks for what is due.',
  }),
  RELAY_REQUEUE_AFTER_MS: integer({
    group: 'worker',
    for: ['worker'],
    default: 5_000,
    minimum: 100,
    maximum: 600_000,
    help: 'How long a queued message may lie before the relay asks Redis whether its job is still there.',
  }),
  RELAY_CHANNEL_WINDOW: integer({
    group: 'worker',
    for: ['worker'],
    default: 2_000,
    minimum: 20,
    maximum: 100_000,
    help: 'Messages of one channel in Redis, at most; the rest wait in PostgreSQL. Half of it is the relay’s, half the gateways’.',
  }),
  RELAY_APP_WINDOW: integer({
    group: 'worker',
    for: ['worker'],
    default: 500,
    minimum: 2,
    maximum: 100_000,
    help: 'Messages of one app and channel in Redis, at most, half and half as above.',
  }),
  SEND_TIMEOUT_MS: integer({
    group: 'worker',
    for: ['worker'],
    default: 0,
    minimum: 0,
    maximum: 120_000,
    help: 'Deadline of an attempt, on every channel; 0 takes each channel’s own (15 s by HTTP, 40 s by e-mail, 5 s into the inbox). It begins when the provider can be called: what waits for connections, files and access tokens waits before it.',
  }),
  RETRY_BASE_MS: integer({
    group: 'worker',
    for: ['worker'],
    default: 2_000,
    minimum: 1,
    maximum: 60_000,
    help: 'The first wait before another attempt; it doubles, with full jitter, up to RETRY_CAP_MS.',
  }),
  RETRY_CAP_MS: integer({
    group: 'worker',
    for: ['worker'],
    default: 900_000,
    minimum: 1,
    maximum: 3_600_000,
    help: 'The longest wait before another attempt.',
  }),
  RETENTION_DAYS: integer({
    group: 'worker',
    for: ['worker'],
    default: 30,
    minimum: 2,
    maximum: 3_650,
    help: 'How long the relay keeps a request of which everything is final; below 2 a key could outlive its request.',
  }),
  STORAGE_LIMIT_MB_PER_ACCOUNT: integer({
    group: 'worker',
    for: ['worker', 'cli'],
    default: 0,
    minimum: 0,
    maximum: 1_000_000_000,
    help: 'What one account may store, in megabytes; 0 sets no limit. `belfry account quota` sets a limit for one account.',
  }),
  SLACK_CLIENT_ID: text({
    group: 'gateway',
    for: ['api', 'dashboard'],
    default: '',
    example: '1234567890.1234567890123',
    help: 'Of a Slack app of your own, with SLACK_CLIENT_SECRET and SLACK_SIGNING_SECRET: the dashboard offers to add it to Slack, and Slack tells when it is removed. Without them tokens are pasted.',
  }),
  SLACK_CLIENT_SECRET: text({
    group: 'gateway',
    for: ['api'],
    default: '',
    isSecret: true,
    example: '<from the app’s Basic Information>',
    help: 'See SLACK_CLIENT_ID.',
  }),
  SLACK_SIGNING_SECRET: text({
    group: 'gateway',
    for: ['api'],
    default: '',
    isSecret: true,
    example: '<from the app’s Basic Information>',
    help: 'See SLACK_CLIENT_ID.',
  }),
  SLACK_API_URL: text({
    group: 'worker',
    for: ['api', 'worker', 'cli', 'dashboard'],
    isForSimulators: true,
    default: '',
    example: 'http://127.0.0.1:4410/api/',
    help: 'Where the Slack API is, for a simulator; refused in production.',
  }),
  TWILIO_API_URL: text({
    group: 'worker',
    for: ['worker', 'cli', 'dashboard'],
    isForSimulators: true,
    default: '',
    example: 'http://127.0.0.1:4411',
    help: 'Where the Twilio API is, for a simulator; refused in production.',
  }),
  META_API_URL: text({
    group: 'worker',
    for: ['worker', 'cli', 'dashboard'],
    isForSimulators: true,
    default: '',
    example: 'http://127.0.0.1:4412',
    help: 'Where the Graph API of Meta is, for a simulator; refused in production.',
  }),
  TELEGRAM_API_URL: text({
    group: 'worker',
    for: ['worker', 'cli', 'dashboard'],
    isForSimulators: true,
    default: '',
    example: 'http://127.0.0.1:4413',
    help: 'Where the Telegram Bot API is, for a simulator; refused in production.',
  }),
  FCM_API_URL: text({
    group: 'worker',
    for: ['worker', 'cli', 'dashboard'],
    isForSimulators: true,
    default: '',
    example: 'http://127.0.0.1:4414',
    help: 'Where Firebase Cloud Messaging and its token endpoint are, for a simulator; refused in production.',
  }),
  ONESIGNAL_API_URL: text({
    group: 'worker',
    for: ['worker', 'cli', 'dashboard'],
    isForSimulators: true,
    default: '',
    example: 'http://127.0.0.1:4415',
    help: 'Where the API of OneSignal is, for a simulator; refused in production.',
  }),
  SHUTDOWN_TIMEOUT_MS: integer({
    group: 'worker',
    for: ['api', 'worker', 'dashboard'],
    default: 0,
    minimum: 0,
    maximum: 300_000,
    help: 'How long a process may take to end; 0 is 10 s beyond the longest attempt of its roles: 25 s, and 50 s with e-mail. Below that, attempts are cut off before the end, and may be unknown.',
  }),

  NODE_ENV: text({
    group: 'logging',
    for: ['api', 'worker', 'dashboard'],
    default: 'development',
    example: 'production',
    help: 'With `production`, settings that are for simulators are refused.',
  }),
  LOG_LEVEL: choice({
    group: 'logging',
    for: ['api', 'worker', 'dashboard'],
    values: ['error', 'warn', 'info', 'debug'],
    default: 'info',
    help: 'The least serious lines that are written.',
  }),
} as const satisfies Record<string, Setting>;

/** The processes that read settings; `cli` is the one-shot commands. */
export type ProcessName = 'api' | 'worker' | 'dashboard' | 'cli';

export type SettingName = keyof typeof settings;

export type Setting = {
  group: 'stores' | 'security' | 'gateway' | 'dashboard' | 'worker' | 'logging';
  /** The processes that read it. */
  for: readonly ProcessName[];
  help: string;
  isRequired?: true;
  /** Processes that can do a part of their work without it. */
  isOptionalFor?: readonly ProcessName[];
  /** Never printed. */
  isSecret?: true;
  /** Refused in production. */
  isForSimulators?: true;
  example?: string;
} & (
  | { kind: 'text'; default?: string }
  | { kind: 'integer'; default: number; minimum: number; maximum: number }
  | { kind: 'boolean'; default: boolean }
  | { kind: 'oneOf'; default: string; values: readonly string[] }
);

type Without<T, K extends string> = T extends unknown ? Omit<T, K> : never;
type SettingFields<K extends Setting['kind']> = Without<Extract<Setting, { kind: K }>, 'kind'>;

function text<const S extends SettingFields<'text'>>(setting: S) {
  return { ...setting, kind: 'text' as const };
}

function integer<const S extends SettingFields<'integer'>>(setting: S) {
  return { ...setting, kind: 'integer' as const };
}

function boolean<const S extends SettingFields<'boolean'>>(setting: S) {
  return { ...setting, kind: 'boolean' as const };
}

function choice<const S extends SettingFields<'oneOf'>>(setting: S) {
  return { ...setting, kind: 'oneOf' as const };
}
