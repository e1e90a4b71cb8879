/**
 * The one list of settings: name, type, default and description. env.ts reads it, and docs/reference/configuration.md is generated
 * from it.
 */
export const settings = {
  DATABASE_URL: text({
    group: 'stores',
    for: ['api', 'worker', 'cli', 'dashboard'],
    isRequired: true,
    isSecret: true,
    example: 'postgresql://belfry:secret@db:5432/belfry',
    help: 'PostgreSQL 15 or later.',
  }),
  REDIS_URL: text({
    group: 'stores',
    for: ['api', 'worker', 'cli', 'dashboard'],
    isRequired: true,
    isOptionalFor: ['cli', 'dashboard'],
    isSecret: true,
    example: 'redis://:secret@redis:6379/0',
    help: 'Redis 7.0.8 or later, or Valkey, with maxmemory-policy noeviction.',
  }),
  REDIS_PREFIX: text({
    group: 'stores',
    for: ['api', 'worker'],
    default: 'belfry',
    example: 'belfry',
    help: 'Prefix of every key in Redis.',
  }),
  DATABASE_POOL_SIZE: integer({
    group: 'stores',
    for: ['api', 'worker', 'dashboard'],
    default: 8,
    minimum: 2,
    maximum: 100,
    help: 'Maximum number of connections of one PostgreSQL pool. A gateway uses two pools, the dashboard three, a worker up to four.',
  }),

  BELFRY_KEYS: text({
    group: 'security',
    for: ['api', 'worker', 'cli', 'dashboard'],
    isRequired: true,
    isOptionalFor: ['cli'],
    isSecret: true,
    example: 'k2:<base64 of 32 bytes>,k1:<base64 of 32 bytes>',
    help: 'Key ring that seals credentials and tokens. The first key seals; every key opens.',
  }),
  PUBLIC_URL: text({
    group: 'security',
    for: ['api', 'worker', 'dashboard'],
    isRequired: true,
    example: 'https://notify.example.com',
    help: 'Public URL of the gateway, for callers and providers.',
  }),
  ALLOW_HTTP: boolean({
    group: 'security',
    for: ['api', 'dashboard'],
    default: false,
    help: 'Accept plain HTTP. Only for loopback and tests: the API key is sent unencrypted.',
  }),
  TRUSTED_PROXIES: text({
    group: 'security',
    for: ['api', 'dashboard'],
    default: '',
    example: '10.0.0.0/8,127.0.0.1/32',
    help: 'Comma-separated subnets of proxies that terminate TLS and send exactly one X-Forwarded-Proto.',
  }),
  TLS_CERT_FILE: text({
    group: 'security',
    for: ['api', 'dashboard'],
    default: '',
    example: '/run/secrets/tls.crt',
    help: 'Certificate chain (PEM). With TLS_KEY_FILE, the gateway serves HTTPS itself.',
  }),
  TLS_KEY_FILE: text({
    group: 'security',
    for: ['api', 'dashboard'],
    default: '',
    example: '/run/secrets/tls.key',
    help: 'Private key of TLS_CERT_FILE (PEM).',
  }),
  ALLOWED_PRIVATE_HOSTS: text({
    group: 'security',
    for: ['worker', 'cli', 'dashboard'],
    default: '',
    example: 'mail.internal,10.0.0.25',
    help: 'Comma-separated hosts that may be private and use any port, named as in integrations and attachment URLs. All other hosts must be public, with these ports: 443 (HTTPS) for attachments; 25, 465, 587 or 2525 for mail servers.',
  }),

  API_HOST: text({
    group: 'gateway',
    for: ['api'],
    default: '127.0.0.1',
    example: '0.0.0.0',
    help: 'Listen address of the gateway.',
  }),
  API_PORT: integer({
    group: 'gateway',
    for: ['api'],
    default: 4400,
    minimum: 0,
    maximum: 65535,
    help: 'Listen port of the gateway; 0 picks a free port.',
  }),
  METRICS_HOST: text({
    group: 'logging',
    for: ['api', 'worker'],
    default: '127.0.0.1',
    example: '0.0.0.0',
    help: 'Listen address of METRICS_PORT and WORKER_PORT. They expose only counters.',
  }),
  METRICS_PORT: integer({
    group: 'logging',
    for: ['api'],
    default: 0,
    minimum: 0,
    maximum: 65535,
    help: 'Port of the gateway’s `/metrics`; 0 picks a free port and logs it.',
  }),
  WORKER_PORT: integer({
    group: 'logging',
    for: ['worker'],
    default: 0,
    minimum: 0,
    maximum: 65535,
    help: 'Port of a worker’s `/livez`, `/readyz` and `/metrics`; 0 picks a free port and logs it.',
  }),
  MAX_BODY_BYTES: integer({
    group: 'gateway',
    for: ['api'],
    default: 10_000_000,
    minimum: 1_000,
    maximum: 50_000_000,
    help: 'Maximum size of a request body.',
  }),
  MAX_BODIES_IN_MEMORY_BYTES: integer({
    group: 'gateway',
    for: ['api'],
    default: 64_000_000,
    minimum: 10_000_000,
    maximum: 1_000_000_000,
    help: 'Maximum size of all request bodies in memory; beyond it, requests get 503. At least 4 times MAX_BODY_BYTES. One account can use one eighth of it, or one body of the maximum size; beyond that it gets 429. One eighth each is reserved for bodies up to 64 KB, for receipts of providers, and for requests before authentication.',
  }),
  MAX_BATCH_ITEMS: integer({
    group: 'gateway',
    for: ['api'],
    default: 1_000,
    minimum: 1,
    maximum: 10_000,
    help: 'Maximum number of elements of one bulk send.',
  }),
  RATE_LIMIT_PER_SECOND: integer({
    group: 'gateway',
    for: ['api'],
    default: 0,
    minimum: 0,
    maximum: 1_000_000,
    help: 'Maximum number of requests per second and account, over all gateways; 0 means no limit. Without Redis there is no limit.',
  }),
  LOOKUP_CACHE_MS: integer({
    group: 'gateway',
    for: ['api', 'worker'],
    default: 5_000,
    minimum: 0,
    maximum: 5_000,
    help: 'How long a key, an app or an event can be served from cache.',
  }),

  DASHBOARD_HOST: text({
    group: 'dashboard',
    for: ['dashboard'],
    default: '127.0.0.1',
    example: '0.0.0.0',
    help: 'Listen address of the dashboard.',
  }),
  DASHBOARD_PORT: integer({
    group: 'dashboard',
    for: ['dashboard'],
    default: 4401,
    minimum: 0,
    maximum: 65535,
    help: 'Listen port of the dashboard; 0 picks a free port.',
  }),
  DASHBOARD_URL: text({
    group: 'dashboard',
    for: ['cli', 'dashboard'],
    default: 'http://127.0.0.1:4401',
    example: 'https://notify.example.com/dashboard',
    help: 'Public URL of the dashboard; the link of `belfry operator reset` uses it. Over plain HTTP, the dashboard accepts only this host, localhost and loopback addresses.',
  }),
  ADMIN_EMAIL: text({
    group: 'dashboard',
    for: ['dashboard'],
    default: '',
    example: 'ops@example.com',
    help: 'With ADMIN_PASSWORD: the dashboard creates this operator at startup, in the oldest account (created if there is none). An existing operator keeps its password.',
  }),
  ADMIN_PASSWORD: text({
    group: 'dashboard',
    for: ['dashboard'],
    default: '',
    isSecret: true,
    example: 'a passphrase that nobody can guess',
    help: 'Password of ADMIN_EMAIL, 12 to 256 characters.',
  }),

  WORKER_ROLES: text({
    group: 'worker',
    for: ['worker'],
    default: 'all',
    example: 'deliver-email,relay',
    help: 'Comma-separated roles of this process; `all` means every role.',
  }),
  MESSAGES_IN_FLIGHT: integer({
    group: 'worker',
    for: ['worker'],
    default: 200,
    minimum: 1,
    maximum: 1_000,
    help: 'Maximum number of messages of one channel that a process delivers concurrently. One integration can use half of them; an SMTP integration also at most its `max_connections`. The same number of results can wait to be stored.',
  }),
  SMTP_CONNECTIONS_PER_HOST: integer({
    group: 'worker',
    for: ['worker'],
    default: 0,
    minimum: 0,
    maximum: 10_000,
    help: 'Maximum number of open connections to one mail server (by host name), for all workers and integrations together; 0 means no limit. Messages without a connection wait in the queue.',
  }),
  RELAY_POLL_MS: integer({
    group: 'worker',
    for: ['worker'],
    default: 250,
    minimum: 20,
    maximum: 10_000,
    help: 'Interval at which the relay looks for due messages.',
  }),
  RELAY_REQUEUE_AFTER_MS: integer({
    group: 'worker',
    for: ['worker'],
    default: 5_000,
    minimum: 100,
    maximum: 600_000,
    help: 'How long a message can stay queued before the relay checks that Redis still has its job.',
  }),
  RELAY_CHANNEL_WINDOW: integer({
    group: 'worker',
    for: ['worker'],
    default: 2_000,
    minimum: 20,
    maximum: 100_000,
    help: 'Maximum number of messages of one channel in Redis; the rest wait in PostgreSQL. Half of it is for the relay, half for the gateways.',
  }),
  RELAY_APP_WINDOW: integer({
    group: 'worker',
    for: ['worker'],
    default: 500,
    minimum: 2,
    maximum: 100_000,
    help: 'Maximum number of messages of one app and channel in Redis, split in the same way.',
  }),
  SEND_TIMEOUT_MS: integer({
    group: 'worker',
    for: ['worker'],
    default: 0,
    minimum: 0,
    maximum: 120_000,
    help: 'Timeout of an attempt on every channel; 0 uses the channel’s default (HTTP 15 s, e-mail 40 s, inbox 5 s). It starts with the call to the provider: waiting for connections, files and access tokens does not count.',
  }),
  RETRY_BASE_MS: integer({
    group: 'worker',
    for: ['worker'],
    default: 2_000,
    minimum: 1,
    maximum: 60_000,
    help: 'First delay before another attempt. It doubles up to RETRY_CAP_MS, with full jitter.',
  }),
  RETRY_CAP_MS: integer({
    group: 'worker',
    for: ['worker'],
    default: 900_000,
    minimum: 1,
    maximum: 3_600_000,
    help: 'Longest delay before another attempt.',
  }),
  RETENTION_DAYS: integer({
    group: 'worker',
    for: ['worker'],
    default: 30,
    minimum: 2,
    maximum: 3_650,
    help: 'How long a request is kept after all its messages are final. Below 2 days, an idempotency key could outlive its request.',
  }),
  STORAGE_LIMIT_MB_PER_ACCOUNT: integer({
    group: 'worker',
    for: ['worker', 'cli'],
    default: 0,
    minimum: 0,
    maximum: 1_000_000_000,
    help: 'Storage limit of one account in megabytes; 0 means no limit. `belfry account quota` sets the limit of one account.',
  }),
  SLACK_CLIENT_ID: text({
    group: 'gateway',
    for: ['api', 'dashboard'],
    default: '',
    example: '1234567890.1234567890123',
    help: 'Client id of your own Slack app; also set SLACK_CLIENT_SECRET and SLACK_SIGNING_SECRET. The dashboard then offers to add the app to Slack, and Slack reports its removal. Without them, paste tokens.',
  }),
  SLACK_CLIENT_SECRET: text({
    group: 'gateway',
    for: ['api'],
    default: '',
    isSecret: true,
    example: '<from the app’s Basic Information>',
    help: 'Client secret; see SLACK_CLIENT_ID.',
  }),
  SLACK_SIGNING_SECRET: text({
    group: 'gateway',
    for: ['api'],
    default: '',
    isSecret: true,
    example: '<from the app’s Basic Information>',
    help: 'Signing secret; see SLACK_CLIENT_ID.',
  }),
  SLACK_API_URL: text({
    group: 'worker',
    for: ['api', 'worker', 'cli', 'dashboard'],
    isForSimulators: true,
    default: '',
    example: 'http://127.0.0.1:4410/api/',
    help: 'URL of the Slack API, for a simulator; not allowed in production.',
  }),
  TWILIO_API_URL: text({
    group: 'worker',
    for: ['worker', 'cli', 'dashboard'],
    isForSimulators: true,
    default: '',
    example: 'http://127.0.0.1:4411',
    help: 'URL of the Twilio API, for a simulator; not allowed in production.',
  }),
  META_API_URL: text({
    group: 'worker',
    for: ['worker', 'cli', 'dashboard'],
    isForSimulators: true,
    default: '',
    example: 'http://127.0.0.1:4412',
    help: 'URL of Meta’s Graph API, for a simulator; not allowed in production.',
  }),
  TELEGRAM_API_URL: text({
    group: 'worker',
    for: ['worker', 'cli', 'dashboard'],
    isForSimulators: true,
    default: '',
    example: 'http://127.0.0.1:4413',
    help: 'URL of the Telegram Bot API, for a simulator; not allowed in production.',
  }),
  FCM_API_URL: text({
    group: 'worker',
    for: ['worker', 'cli', 'dashboard'],
    isForSimulators: true,
    default: '',
    example: 'http://127.0.0.1:4414',
    help: 'URL of Firebase Cloud Messaging and its token endpoint, for a simulator; not allowed in production.',
  }),
  ONESIGNAL_API_URL: text({
    group: 'worker',
    for: ['worker', 'cli', 'dashboard'],
    isForSimulators: true,
    default: '',
    example: 'http://127.0.0.1:4415',
    help: 'URL of the OneSignal API, for a simulator; not allowed in production.',
  }),
  SHUTDOWN_TIMEOUT_MS: integer({
    group: 'worker',
    for: ['api', 'worker', 'dashboard'],
    default: 0,
    minimum: 0,
    maximum: 300_000,
    help: 'Time limit for a process to shut down; 0 is 10 s more than the longest attempt of its roles: 25 s, or 50 s with e-mail. A lower value can cut off attempts, whose outcome is then unknown.',
  }),

  NODE_ENV: text({
    group: 'logging',
    for: ['api', 'worker', 'dashboard'],
    default: 'development',
    example: 'production',
    help: 'With `production`, settings for simulators are not allowed.',
  }),
  LOG_LEVEL: choice({
    group: 'logging',
    for: ['api', 'worker', 'dashboard'],
    values: ['error', 'warn', 'info', 'debug'],
    default: 'info',
    help: 'Lowest level that is logged.',
  }),
} as const satisfies Record<string, Setting>;

/** Processes that read settings; `cli` is any one-shot command. */
export type ProcessName = 'api' | 'worker' | 'dashboard' | 'cli';

export type SettingName = keyof typeof settings;

export type Setting = {
  group: 'stores' | 'security' | 'gateway' | 'dashboard' | 'worker' | 'logging';
  /** Processes that read it. */
  for: readonly ProcessName[];
  help: string;
  isRequired?: true;
  /** Processes that can run partly without it. */
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
