export type BelfryOptions = {
  /** URL of the gateway, for example `https://notify.example.com`. */
  baseUrl: string;
  /** API key of the account, without `AuthKey`. */
  apiKey: string;
  appId: string;
  /** Timeout of one attempt. Default: 10 s. */
  timeoutMs?: number | undefined;
  /** Time limit of a call with all retries and waits. Default: 60 s. */
  deadlineMs?: number | undefined;
  /** Retries after the first attempt. Default: 6. */
  retries?: number | undefined;
  /** Replaces the global fetch. */
  fetch?: Fetch | undefined;
  /** Allows plain HTTP to another machine. The API key is then sent unencrypted. */
  allowHttp?: boolean | undefined;
};

export type CallOptions = {
  /** Aborts the call. A request that was already sent may still be stored. */
  signal?: CallerSignal | undefined;
  timeoutMs?: number | undefined;
  deadlineMs?: number | undefined;
  retries?: number | undefined;
};

export type WriteOptions = CallOptions & {
  /**
   * Your own key, to repeat a call safely, even after a restart. Default: a new key for each call. 1 to 255 characters that
   * a header can contain: none above U+00FF, no control character, no space at either end.
   */
  idempotencyKey?: string | undefined;
};

/** The part of `AbortSignal` that the client uses, so that it needs neither the DOM's types nor Node's. */
export type CallerSignal = {
  readonly aborted: boolean;
  readonly reason?: unknown;
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
};

/** The part of `fetch` that the client uses. Every platform's global `fetch` matches it. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;

export type FetchInit = {
  method: string;
  headers: Record<string, string>;
  body?: string;
  redirect: 'manual';
  // biome-ignore lint/suspicious/noExplicitAny: only the platform knows the type of its AbortSignal.
  signal: any;
};

/** The part of `Response` that the client uses. */
export type FetchResponse = {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: {
    getReader(): { read(): Promise<{ done: boolean; value?: Uint8Array | undefined }> };
  } | null;
};

export type Limits = { timeoutMs: number; deadlineMs: number; retries: number };

export type Settings = {
  /** Without a slash at the end. */
  appUrl: string;
  apiKey: string;
  limits: Limits;
  fetch: Fetch | undefined;
};

const defaultLimits: Limits = { timeoutMs: 10_000, deadlineMs: 60_000, retries: 6 };
/** A longer timer fires at once in Node. */
const maxTimeMs = 2_147_483_647;
const ranges: Record<keyof Limits, { minimum: number; maximum: number }> = {
  timeoutMs: { minimum: 1, maximum: maxTimeMs },
  deadlineMs: { minimum: 1, maximum: maxTimeMs },
  retries: { minimum: 0, maximum: 20 },
};

/** Throws a TypeError that states the problem and never contains the API key. */
export function readOptions(options: BelfryOptions): Settings {
  checkRequired(options);
  const appId = readPathPart('appId', options.appId);
  return {
    appUrl: `${readBaseUrl(options)}/v1/apps/${appId}`,
    apiKey: readApiKey(options.apiKey),
    limits: readLimits(options, defaultLimits),
    fetch: options.fetch,
  };
}

export function readLimits(options: Partial<CallOptions>, defaults: Limits): Limits {
  const read = (name: keyof Limits) => readInteger(name, options[name] ?? defaults[name]);
  return {
    timeoutMs: read('timeoutMs'),
    deadlineMs: read('deadlineMs'),
    retries: read('retries'),
  };
}

/** Encodes a segment of a path. `.` and `..` would change the path. */
export function readPathPart(name: string, value: unknown): string {
  const isPart = typeof value === 'string' && !/^\.{0,2}$/.test(value);
  if (!isPart || /\p{Surrogate}/u.test(value)) {
    throw new TypeError(`${name} must be a string that is not empty, "." or ".."`);
  }
  return encodeURIComponent(value);
}

function readInteger(name: keyof Limits, value: unknown): number {
  const { minimum, maximum } = ranges[name];
  const isInteger = typeof value === 'number' && Number.isInteger(value);
  if (isInteger && value >= minimum && value <= maximum) return value;
  throw new TypeError(`${name} must be a whole number from ${minimum} to ${maximum}`);
}

const required = {
  baseUrl: 'set the URL of the gateway, such as https://notify.example.com',
  apiKey: 'set the API key of the account, which starts with bk_',
  appId: 'set the id of the app, which the dashboard shows',
} as const;

/** Lists all missing options at once, because the usual reason is an unset environment variable. */
function checkRequired(options: Partial<BelfryOptions> = {}): void {
  const missing = Object.entries(required).filter(
    ([name]) => (options[name as keyof typeof required] ?? '') === '',
  );
  if (missing.length === 0) return;
  const problems = missing.map(([name, advice]) => `${name} is missing: ${advice}`);
  throw new TypeError(`${problems.join('; ')}. Check that your environment variables are set.`);
}

function readBaseUrl({ baseUrl, allowHttp = false }: BelfryOptions): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw new TypeError('baseUrl must be a URL like https://notify.example.com');
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new TypeError('baseUrl must not contain a user, query or fragment');
  }
  if (url.protocol === 'http:' && !allowHttp && !isLoopback(url.hostname)) {
    throw new TypeError('baseUrl must start with https://. For plain HTTP, set allowHttp to true');
  }
  const segments = url.pathname.replace(/(?<!\/)\/+$/, '').split('/');
  const versionAt = findVersion(segments);
  if (versionAt === -1) return `${url.origin}${segments.join('/')}`;
  const base = `${url.origin}${segments.slice(0, versionAt).join('/')}`;
  const suffix = segments.slice(versionAt).join('/');
  throw new TypeError(`baseUrl must not end in /${suffix}, which the client adds: use ${base}`);
}

/** Index of `/v1` at the end, or before `/apps`. */
function findVersion(segments: readonly string[]): number {
  return segments.findIndex((part, at) => {
    const next = segments[at + 1];
    return part === 'v1' && (next === undefined || next === 'apps');
  });
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(\.\d+){3}$/.test(host);
}

function readApiKey(apiKey: unknown): string {
  if (typeof apiKey !== 'string' || !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new TypeError('apiKey must be only the key, without "AuthKey" and without spaces');
  }
  return apiKey;
}
