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
  signal?: AbortSignal | undefined;
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

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export type Limits = { timeoutMs: number; deadlineMs: number; retries: number };

export type Settings = {
  /** Without a slash at its end. */
  appUrl: string;
  apiKey: string;
  limits: Limits;
  fetch: Fetch | undefined;
};

const standard: Limits = { timeoutMs: 10_000, deadlineMs: 60_000, retries: 6 };
/** Beyond it a timer of Node fires at once. */
const maxTimeMs = 2_147_483_647;
const ranges: Record<keyof Limits, { minimum: number; maximum: number }> = {
  timeoutMs: { minimum: 1, maximum: maxTimeMs },
  deadlineMs: { minimum: 1, maximum: maxTimeMs },
  retries: { minimum: 0, maximum: 20 },
};

/** What is wrong with an option is a bug of the caller, and never holds the API key. */
export function readOptions(options: BelfryOptions): Settings {
  const appId = readPathPart('appId', options.appId);
  return {
    appUrl: `${readBaseUrl(options)}/v1/apps/${appId}`,
    apiKey: readApiKey(options.apiKey),
    limits: readLimits(options, standard),
    fetch: options.fetch,
  };
}

export function readLimits(given: Partial<CallOptions>, otherwise: Limits): Limits {
  const read = (name: keyof Limits) => readInteger(name, given[name] ?? otherwise[name]);
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
  return `${url.origin}${url.pathname}`.replace(/(?<!\/)\/+$/, '');
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
