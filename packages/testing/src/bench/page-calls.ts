import type { StoredPages } from './stored-pages';
import { countRecent, toBulkId } from './stored-pages.sql';

/** One kind of call of a page. `build` returns the path of a call; the number makes values differ from call to call. */
export type PageCall = { name: string; build(number: number): string };

/** Values that calls name and that are stored. */
export type StoredTexts = {
  /** Single requests of the first app, with the message of each. */
  singles: readonly { requestId: string; messageId: string; user: number; number: number }[];
  /** Stored users. */
  userSids: readonly string[];
  frequentUserSid: string;
  /** `next` of log pages, each a page later. */
  cursors: readonly string[];
};

/** Every page of the dashboard that reads messages, and each filter of the log. */
export function listPageCalls(stored: StoredPages, texts: StoredTexts): PageCall[] {
  const source = createSource(stored, texts);
  return [
    ...listPlainLogCalls(source),
    ...listLogCalls(source),
    ...listRecipientCalls(source),
    ...listCombinedCalls(source),
    ...listSearchCalls(source),
    ...listRequestCalls(source),
    ...listOtherCalls(source),
  ];
}

type Source = ReturnType<typeof createSource>;

function createSource(stored: StoredPages, texts: StoredTexts) {
  const { ids, shape } = stored;
  const app = `/api/apps/${ids.appIds[0]}`;
  const { periodMs, startMs } = shape;
  return {
    stored,
    texts,
    app,
    single: (number: number) => pick(texts.singles, number),
    timeAt: (number: number) => Math.floor(startMs + (periodMs * (number % 97)) / 97),
    bulkId: toBulkId(shape, shape.bulks.length - 1),
    log: (name: string, filters: Filters): PageCall => ({
      name: `log: ${name}`,
      build: (number) =>
        `${app}/log${toQuery(typeof filters === 'function' ? filters(number) : filters)}`,
    }),
    find: (name: string, text: (number: number) => string): PageCall => ({
      name: `search: ${name}`,
      build: (number) => `/api/find${toQuery({ text: text(number), app: ids.appIds[0] ?? '' })}`,
    }),
  };
}

function createPage(name: string, path: string | ((number: number) => string)): PageCall {
  return { name, build: typeof path === 'function' ? path : () => path };
}

function listPlainLogCalls({ texts, log, timeAt, bulkId }: Source): PageCall[] {
  const bulkAtMs = Number.parseInt(bulkId.replace('-', '').slice(0, 12), 16);
  const hourMs = 3_600_000;
  return [
    log('first page', {}),
    log('later pages', (number) => ({ cursor: pick(texts.cursors, number) })),
    log('before a time', (number) => ({ to: String(timeAt(number)) })),
    log('one hour', (number) => ({
      from: String(timeAt(number) - hourMs),
      to: String(timeAt(number)),
    })),
    log('page with the largest bulk', { to: String(bulkAtMs + 1) }),
  ];
}

const states = 'sent delivered read failed skipped unknown queued sending'.split(' ');
const waits = 'schedule needs_attention paused retry limit due'.split(' ');

function listLogCalls({ log }: Source): PageCall[] {
  return [
    log('event', { event: 'order_confirmed' }),
    log('rare event', { event: 'incident' }),
    log('channel', { channel: 'email' }),
    log('rare channel', { channel: 'slack' }),
    log('channel without messages', { channel: 'telegram' }),
    ...states.map((state) => log(`state ${state}`, { state })),
    ...waits.map((reason) => log(`waits ${reason}`, { waits: reason })),
    log('reason', { reason: 'attempts_exhausted' }),
    log('rare reason', { reason: 'too_long' }),
    log('reason that no message has', { reason: 'expired' }),
    log('reason of skips', { reason: 'no_address' }),
    log('rare reason of skips', { reason: 'opted_out' }),
    log('provider', { provider: 'smtp' }),
    log('rare provider', { provider: 'sendgrid' }),
    log('integration', { integration: 'mail_main' }),
    log('rare integration', { integration: 'mail_rare' }),
    log('integration that needs attention', { integration: 'mail_attention' }),
  ];
}

function listRecipientCalls({ log, single }: Source): PageCall[] {
  return [
    log('e-mail address', (number) => ({ recipient: toEmail(single(number).user) })),
    log('phone number', (number) => ({ recipient: toPhone(single(number).user) })),
    log('user ID', (number) => ({ recipient: `user-${single(number).user}` })),
    log('recipient with many messages', { recipient: 'user-0' }),
    log('recipient without messages', (number) => ({ recipient: `nobody${number}@example.com` })),
    log('request ID', (number) => ({ requestId: single(number).requestId })),
    log('idempotency key', (number) => ({ idempotencyKey: `key-${single(number).number}` })),
    log('metadata', (number) => ({ metadata: `order:A-${single(number).number}` })),
  ];
}

function listCombinedCalls({ log, timeAt }: Source): PageCall[] {
  return [
    log('event and state', { event: 'newsletter', state: 'failed' }),
    log('rare event and state', { event: 'incident', state: 'failed' }),
    log('event and another channel', { event: 'login_code', channel: 'email' }),
    log('event and rare reason', { event: 'invoice', reason: 'too_long' }),
    log('channel and state', { channel: 'sms', state: 'unknown' }),
    log('integration and state', { integration: 'mail_main', state: 'failed' }),
    log('provider and state', { provider: 'smtp', state: 'failed' }),
    log('time and state', (number) => ({ to: String(timeAt(number)), state: 'failed' })),
    log('recipient and state', { recipient: 'user-0', state: 'failed' }),
    log('recipient and event', { recipient: 'user-0', event: 'incident' }),
  ];
}

function listSearchCalls({ find, single }: Source): PageCall[] {
  return [
    find('request ID', (number) => single(number).requestId),
    find('message ID', (number) => single(number).messageId),
    find('provider’s message ID', (number) => `pm-${single(number).messageId}`),
    find('phone number', (number) => toPhone(single(number).user)),
    find('e-mail address', (number) => toEmail(single(number).user)),
    find('user ID', (number) => `user-${single(number).user}`),
    find('event name', () => 'order_confirmed'),
    find('idempotency key', (number) => `key-${single(number).number}`),
    find('metadata', (number) => `order:A-${single(number).number}`),
    find('text that nothing has', (number) => `nothing ${number}`),
    find('address that nothing has', (number) => `nobody${number}@example.com`),
  ];
}

function listRequestCalls({ app, single, bulkId }: Source): PageCall[] {
  const bulk = `${app}/requests/${bulkId}`;
  const toRequest = (number: number) => `${app}/requests/${single(number).requestId}`;
  return [
    createPage('request', toRequest),
    createPage('request: explanation', (number) => `${toRequest(number)}/explanation`),
    createPage('largest bulk', (number) => `${bulk}?item=${number}`),
    createPage('largest bulk: items', (number) => `${bulk}/items?from=${number * 50}`),
    createPage('largest bulk: failed items', `${bulk}/items?state=failed`),
    createPage('largest bulk: explanation', `${bulk}/explanation`),
  ];
}

function listOtherCalls({ app, texts, stored }: Source): PageCall[] {
  const toUser = (number: number) => `${app}/users/${pick(texts.userSids, number)}`;
  const deliveries = `${app}/webhooks/${stored.endpointId}/deliveries`;
  return [
    ...['hour', 'day', 'week'].map((period) =>
      createPage(`overview: ${period}`, `${app}/overview?period=${period}`),
    ),
    createPage('queues: all apps', '/api/queues'),
    createPage('queues: one app', `/api/queues?app=${stored.ids.appIds[0]}`),
    createPage('apps', '/api/apps'),
    createPage('integrations', `${app}/integrations`),
    createPage('users', `${app}/users`),
    createPage('users: search', (number) => `${app}/users?text=user-${number}`),
    createPage('user', toUser),
    createPage('user: messages', (number) => `${toUser(number)}/messages`),
    createPage('user with many messages', `${app}/users/${texts.frequentUserSid}/messages`),
    createPage('webhooks', `${app}/webhooks`),
    createPage('webhook deliveries', deliveries),
    createPage('webhook deliveries: failed', `${deliveries}?outcome=failed`),
    createPage('audit', '/api/audit'),
    createPage('audit: one action', '/api/audit?action=channel.'),
    createPage('audit: action that no entry has', '/api/audit?action=nothing'),
    createPage('captures', `${app}/captures`),
  ];
}

const toEmail = (user: number) => `user${user}@example.com`;
const toPhone = (user: number) => `+1202${String(user).padStart(7, '0')}`;

const oldNumbers = 90;
const recentNumbers = 10;

/** The numbers of single sends of which calls pick: spread over the whole period, and some of the newest. */
export function listPickedNumbers(shape: StoredPages['shape']): number[] {
  const { singles } = shape;
  const spread = (count: number, of: number) =>
    Array.from({ length: count }, (_, index) => Math.floor((of * (index + 0.5)) / count));
  const recent = spread(recentNumbers, countRecent(shape)).map((number) => singles - number);
  return [...spread(oldNumbers, singles), ...recent];
}

type Filters = Record<string, string> | ((number: number) => Record<string, string>);

function toQuery(filters: Record<string, string>): string {
  const text = new URLSearchParams(filters).toString();
  return text === '' ? '' : `?${text}`;
}

function pick<T>(values: readonly T[], number: number): T {
  const value = values[(number * 37) % values.length];
  if (value === undefined) throw new Error('There is nothing to pick');
  return value;
}
