import type { FindResult } from '../../api/find';
import { describeZone, type Zone, zones } from '../dates';
import type { IconName } from '../parts/icons';
import { type AppPage, buildPath } from '../route';
import { type Theme, themes } from './theme';

/** An entry of the palette: a page or an action. */
export type Jump = {
  text: string;
  kind: string;
  icon: IconName;
  /** Target path; an action may have none. */
  to?: string;
  search?: string;
  act?: () => void;
};

type Page = { page: AppPage; text: string; icon: IconName };

const appPages: readonly Page[] = [
  { page: 'overview', text: 'Overview', icon: 'chart' },
  { page: 'log', text: 'Log', icon: 'log' },
  { page: 'events', text: 'Events', icon: 'event' },
  { page: 'integrations', text: 'Integrations', icon: 'plug' },
  { page: 'queues', text: 'Queues', icon: 'queues' },
  { page: 'alerts', text: 'Alerts', icon: 'alert' },
  { page: 'sandbox', text: 'Sandbox', icon: 'sandbox' },
  { page: 'resends', text: 'Resends', icon: 'retry' },
  { page: 'users', text: 'Users', icon: 'person' },
  { page: 'webhooks', text: 'Webhooks', icon: 'webhook' },
];

const accountPages: readonly Jump[] = [
  { text: 'API keys', kind: 'page', icon: 'key', to: '/keys' },
  { text: 'Apps', kind: 'page', icon: 'apps', to: '/apps' },
  { text: 'People', kind: 'page', icon: 'people', to: '/people' },
  { text: 'Audit', kind: 'page', icon: 'history', to: '/audit' },
  { text: 'Account: password and sessions', kind: 'page', icon: 'person', to: '/account' },
];

export function listPages(appId: string | undefined): Jump[] {
  if (!appId) return [...accountPages];
  const appJumps = appPages.map(({ page, text, icon }): Jump => {
    return { text, kind: 'page', icon, to: buildPath(appId, page) };
  });
  return [...appJumps, ...accountPages];
}

/** The other apps. */
export function listApps(
  apps: readonly { id: string; name: string }[],
  appId: string | undefined,
): Jump[] {
  return apps
    .filter(({ id }) => id !== appId)
    .map(({ id, name }) => ({
      text: name,
      kind: 'switch app',
      icon: 'apps',
      to: buildPath(id, 'log'),
    }));
}

export type ActionOptions = {
  app: { id: string; sendingPausedAt: number | null } | undefined;
  mayChange: boolean;
  /** Query of the log, if it is open and filtered. */
  logSearch: string;
  act: {
    setTheme(theme: Theme): void;
    setZone(zone: Zone): void;
    showKeys(): void;
    signOut(): void;
    resumeSending(): void;
  };
};

/** Global actions; viewers get none that change anything. */
export function listActions({ app, mayChange, logSearch, act }: ActionOptions): Jump[] {
  const action = (text: string, icon: IconName, rest: Partial<Jump>): Jump => {
    return { text, kind: 'action', icon, ...rest };
  };
  return [
    ...(app && mayChange ? listChangeActions(app, { logSearch, action, act }) : []),
    ...themes.map((theme) =>
      action(`Theme: ${theme}`, 'theme', { act: () => act.setTheme(theme) }),
    ),
    ...zones.map((zone) =>
      action(`Times in ${describeZone(zone)}`, 'history', { act: () => act.setZone(zone) }),
    ),
    action('Keyboard shortcuts', 'search', { act: act.showKeys }),
    action('Sign out', 'person', { act: act.signOut }),
  ];
}

type ChangeActionOptions = Pick<ActionOptions, 'logSearch' | 'act'> & {
  action: (text: string, icon: IconName, rest: Partial<Jump>) => Jump;
};

function listChangeActions(
  { id, sendingPausedAt }: NonNullable<ActionOptions['app']>,
  { logSearch, action, act }: ChangeActionOptions,
): Jump[] {
  const resend = action('Resend all messages that match the filters', 'retry', {
    to: buildPath(id, 'log'),
    search: `${logSearch}&do=resend`,
  });
  const pause = action('Pause all sending', 'queues', {
    to: buildPath(id, 'queues'),
    search: 'do=pause',
  });
  return [
    ...(logSearch === '' ? [] : [resend]),
    action('Create event', 'plus', { to: buildPath(id, 'events'), search: 'do=create' }),
    action('Create integration', 'plus', { to: buildPath(id, 'integrations', 'new') }),
    action('Create webhook endpoint', 'plus', { to: buildPath(id, 'webhooks', 'new') }),
    sendingPausedAt === null
      ? pause
      : action('Resume all sending', 'queues', { act: act.resumeSending }),
  ];
}

/** A match of the server's search as a page: a request, a resend, a user, or the log with the filter. */
export function toJump(match: FindResult, appName: (id: string) => string): Jump {
  const { kind, label: text, appId, event, requestId, resendId, userSid } = match;
  if (requestId !== undefined) {
    const to = buildPath(appId, 'log', requestId);
    const name = kind === 'providerMessage' ? 'message' : kind;
    return { text: `${event} ${text}`, kind: `${name}, ${appName(appId)}`, icon: 'log', to };
  }
  if (resendId !== undefined) {
    const to = buildPath(appId, 'resends', resendId);
    return { text, kind: `resend, ${appName(appId)}`, icon: 'retry', to };
  }
  if (userSid !== undefined) {
    return { text, kind: 'user', icon: 'person', to: buildPath(appId, 'users', userSid) };
  }
  const search = new URLSearchParams(match.filters ?? {}).toString();
  const [name, icon] = logMatches[kind] ?? ['match', 'log'];
  return { text, kind: `${name}, in the log`, icon, to: buildPath(appId, 'log'), search };
}

const logMatches: Partial<Record<FindResult['kind'], [name: string, icon: IconName]>> = {
  recipient: ['recipient', 'log'],
  event: ['event', 'event'],
  idempotencyKey: ['idempotency key', 'key'],
  metadata: ['metadata', 'log'],
};

/** Entries that contain every word of the text, prefix matches first. */
export function filterJumps(jumps: readonly Jump[], text: string): Jump[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const begins = (jump: Jump) => jump.text.toLowerCase().startsWith(words[0] ?? '');
  const all = jumps.filter((jump) => {
    const searchText = `${jump.text} ${jump.kind}`.toLowerCase();
    return words.every((word) => searchText.includes(word));
  });
  return [...all.filter(begins), ...all.filter((jump) => !begins(jump))];
}
