export type BelfryOptions = {
  /** Where the gateway is, for example `https://notify.example.com`. */
  baseUrl: string;
  /** As the account has it, without `AuthKey` before it. */
  apiKey: string;
  appId: string;
  /** Of one attempt: 10 s unless told otherwise. */
  timeoutMs?: number | undefined;
  /** Of a whole call with its retries and waits: 60 s unless told otherwise. */
  deadlineMs?: number | undefined;
  /** After the first attempt: 6 unless told otherwise; 0 for none. */
  retries?: number | undefined;
  /** Takes the place of the global fetch. */
  fetch?: Fetch | undefined;
  /** Allows plain HTTP to another machine, where the API key can be read on the way. */
  allowHttp?: boolean | undefined;
};

export type CallOptions = {
  /** Ends the call; what was sent already may still be stored. */
  signal?: CallerSignal | undefined;
  timeoutMs?: number | undefined;
  deadlineMs?: number | undefined;
  retries?: number | undefined;
};

export type WriteOptions = CallOptions & {
  /**
   * Your own, to repeat a call safely also after a restart; a new one for each call unless given. 1 to 255 characters that a
   * header can carry: none above U+00FF, no control character, no space at either end.
   */
  idempotencyKey?: string | undefined;
};

/** An `AbortSignal`, as far as the client uses it: neither the DOM's types nor Node's are needed. */
export type CallerSignal = {
  readonly aborted: boolean;
  readonly reason?: unknown;
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
};

/** The global `fetch` of every platform is one. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;

export type FetchInit = {
  method: string;
  headers: Record<string, string>;
  body?: string;
  redirect: 'manual';
  // biome-ignore lint/suspicious/noExplicitAny: the AbortSignal of the platform, whose type is known there alone.
  signal: any;
};

/** A `Response`, as far as the client uses it. */
export type FetchResponse = {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: {
    getReader(): { read(): Promise<{ done: boolean; value?: Uint8Array | undefined }> };
  } | null;
};

export type Limits = { timeoutMs: number; deadlineMs: number; retries: number };

export type Settings = {
  /** Without a slash at its end. */
  appUrl: string;
  apiKey: string;
  limits: Limits;
  fetch: Fetch | undefined;
};

const defaultLimits: Limits = { timeoutMs: 10_000, deadlineMs: 60_000, retries: 6 };
/** Beyond it a timer of Node fires at once. */
const maxTimeMs = 2_147_483_647;
const ranges: Record<keyof Limits, { minimum: number; maximum: number }> = {
  timeoutMs: { minimum: 1, maximum: maxTimeMs },
  deadlineMs: { minimum: 1, maximum: maxTimeMs },
  retries: { minimum: 0, maximum: 20 },
};

/** Throws a TypeError that says what to write; it never holds the API key. */
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

/** A part of a path, encoded. `.` and `..` would lead to another path. */
export function readPathPart(name: string, value: unknown): string {
  const isPart = typeof value === 'string' && !/^\.{0,2}$/.test(value);
  if (!isPart || /\p{Surrogate}/u.test(value)) {
    throw new TypeError(`${name} must be a text, not empty, not "." or ".."`);
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
  baseUrl: 'write the URL of the gateway, such as https://notify.example.com',
  apiKey: 'write the API key of the account, which begins with bk_',
  appId: 'write the id of the app, which the dashboard shows',
} as const;

/** An unset environment variable is the usual reason, so all that is missing is named at once. */
function checkRequired(options: Partial<BelfryOptions> = {}): void {
  const missing = Object.entries(required).filter(
    ([name]) => (options[name as keyof typeof required] ?? '') === '',
  );
  if (missing.length === 0) return;
  const problems = missing.map(([name, advice]) => `${name} is missing: ${advice}`);
  throw new TypeError(`${problems.join('; ')}. An environment variable may not be set.`);
}

function readBaseUrl({ baseUrl, allowHttp = false }: BelfryOptions): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw new TypeError('baseUrl must be a URL like https://notify.example.com');
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new TypeError('baseUrl must hold no user, query or fragment');
  }
  if (url.protocol === 'http:' && !allowHttp && !isLoopback(url.hostname)) {
    throw new TypeError('baseUrl must begin with https://, or allowHttp must be true');
  }
  const segments = url.pathname.replace(/(?<!\/)\/+$/, '').split('/');
  const versionAt = findVersion(segments);
  if (versionAt === -1) return `${url.origin}${segments.join('/')}`;
  const base = `${url.origin}${segments.slice(0, versionAt).join('/')}`;
  const suffix = segments.slice(versionAt).join('/');
  throw new TypeError(`baseUrl must not end in /${suffix}, which the client adds: write ${base}`);
}

/** Where the path of the interface begins: `/v1` at the end, or before `/apps`. */
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
    throw new TypeError('apiKey must be the key alone: one word, without "AuthKey" before it');
  }
  return apiKey;
}
