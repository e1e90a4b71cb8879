import { newId } from '@belfry/runtime';
import { appSettings } from '@belfry/shared';
import {
  type Answer,
  buildRequestTarget,
  createRowWatch,
  createTwin,
  ownDatabase,
  probeReads,
  probeRoute,
  type ReadRecorder,
  type RouteCall,
  type RowWatch,
  recordReads,
  type Scene,
  type Tenant,
  type ValueTypes,
  type Victim,
  type WatchOptions,
} from '@belfry/testing';
import { changes } from './changes.fixture';
import { formatRoute, type ListedRoute, listAppRoutes } from './routes.fixture';
import {
  createStoredDashboard,
  type Neighbour,
  type StoredDashboard,
} from './stored-dashboard.fixture';

jest.setTimeout(240_000);

/** The kind of value that each field of a route takes; see packages/testing. */
const types: ValueTypes = {
  appId: 'appId',
  'keys.id': 'apiKeyId',
  'sessions.id': 'sessionId',
  'people.id': 'operatorId',
  'invitations.id': 'invitationId',
  'integrations.id': 'integrationId',
  'filters.id': 'filterId',
  'alerts.id': 'alertRuleId',
  endpointId: 'webhookEndpointId',
  deliveryId: 'webhookDeliveryId',
  'deliveries.before': 'webhookDeliveryId',
  ...plain('outcome', 'url', 'types', 'description', 'isEnabled', 'since', 'type'),
  'suppressions.id': 'suppressionId',
  'inbox-secrets.id': 'inboxSecretId',
  eventId: 'eventId',
  versionId: 'versionId',
  userSid: 'userSid',
  requestId: 'requestId',
  messageId: ['messageId', 'pushMessageId'],
  captureId: 'captureId',
  resendId: 'resendId',
  // Queries.
  app: 'appId',
  'audit.before': 'auditId',
  'audit.operator': 'operatorId',
  'audit.action': 'plain',
  'captures.before': 'captureId',
  'captures.text': ['email', 'eventName'],
  'find.text': [
    ...(['requestId', 'messageId', 'resendId', 'email', 'userId', 'idempotencyKey'] as const),
    'providerMessageId',
    'metadata',
  ],
  'log.cursor': 'requestId',
  'suppressions.after': 'suppressionId',
  'suppressions.text': 'email',
  'suppressions.csv.text': 'email',
  'users.after': 'userId',
  'users.text': ['userId', 'email', 'mobile', 'token', 'deviceSid', 'userSid'],
  'versions.before': 'plain',
  item: 'plain',
  'items.cursor': 'plain',
  // Filters of the log.
  filters: 'object',
  event: 'eventName',
  integration: 'integrationName',
  recipient: ['email', 'userId', 'token'],
  idempotencyKey: 'idempotencyKey',
  metadata: 'metadata',
  ...plain('from', 'to', 'last', 'state', 'reason', 'waits', 'provider', 'period'),
  // Bodies.
  'session.accountId': 'accountId',
  'session.email': 'operatorEmail',
  'invitations.email': 'operatorEmail',
  'set-up.email': 'operatorEmail',
  'events.name': 'eventName',
  'integrations.name': 'integrationName',
  'filters.name': 'filterName',
  ...plain('kind', 'to', 'percent', 'minutes', 'messages'),
  params: 'object',
  sendBy: 'object',
  fallback: 'object',
  integrationId: 'integrationId',
  'apps.name': 'plain',
  'keys.name': 'plain',
  'apps.defaultRegion': 'plain',
  'suppressions.address': 'email',
  'test.id': 'integrationId',
  basedOnLive: 'versionId',
  definition: 'object',
  channels: 'object',
  integrationIds: { list: 'integrationId' },
  ...plain('token', 'password', 'newPassword', 'code', 'confirm', 'confirmName', 'confirmUserId'),
  ...plain(...Object.keys(appSettings)),
  ...plain('channel', 'role', 'delivery', 'detail', 'html', 'theme', 'afterMs', 'updatedAt'),
  ...plain(
    'settings',
    'credentials',
    'basedOn',
    'note',
    'confirmed',
    'confirmedState',
    'perSecond',
  ),
  ...plain('defaultLocale', 'missing', 'isSensitive', 'templates', 'policy', 'locale', 'data'),
  'channels.email': 'object',
  user: 'object',
  user_id: 'userId',
  email: 'email',
  mobile: 'mobile',
  fcm_tokens: { list: 'token' },
  ...plain('whatsapp_mobile', 'slack', 'telegram', 'onesignal_external_id', 'ios_tokens'),
  ...plain('fcm_topic', 'fcm_device_group', 'onesignal_player_ids', 'preferences', 'override'),
  ...plain('cancel_key', 'texts', 'position'),
  csv: 'plain',
  changes: 'object',
  confirmedStates: 'object',
  isOff: 'plain',
  slug: 'categorySlug',
  category: 'categorySlug',
};

function plain(...names: string[]): ValueTypes {
  return Object.fromEntries(names.map((name) => [name, 'plain']));
}

/** An account whose values the callers try to use, and which creates more of them. */
type Owner = Victim & { operator: Neighbour };

let store: Awaited<ReturnType<typeof ownDatabase>>;
let dashboard: StoredDashboard;
let reads: ReadRecorder;
let watch: RowWatch;
/** One shares the natural keys of every caller; the keys of the other sort after those of callers. */
let otherOwners: Owner[];
let account: Neighbour;
let sibling: Owner;

beforeAll(async () => {
  store = await ownDatabase();
  dashboard = await createStoredDashboard({ DATABASE_URL: store.url, SLACK_CLIENT_ID: 'a-client' });
  reads = recordReads(dashboard.app);
  watch = await createRowWatch(dashboard.database);
  otherOwners = [await createOther('shared'), await createOther('victim-account')];
  account = await dashboard.createNeighbour();
  const { accountId } = account.tenant;
  const operator = await dashboard.database.prisma.operator.findFirstOrThrow({
    where: { accountId },
  });
  sibling = await createOwner(async () => ({ ...account, tenant: await createApp() }), {
    word: 'shared',
    shared: { ids: [accountId, operator.id], tables: ['operator_session'] },
  });
});
afterAll(async () => {
  await dashboard.close();
  await store.drop();
});

function createOther(word: string, pausedChannel?: string): Promise<Owner> {
  const options = { word, ...(pausedChannel && { pausedChannel }) };
  return createOwner(() => dashboard.createNeighbour(), options);
}

/** With `shared`, the owner is another app in the account of its callers. */
type OwnerOptions = { word: string; pausedChannel?: string; shared?: WatchOptions['shared'] };

async function createOwner(
  createOperator: () => Promise<Neighbour>,
  { shared, ...twinOptions }: OwnerOptions,
): Promise<Owner> {
  const mark = `mark-${newId()}`;
  const rows = watch.watch({ marks: [mark], ...(shared && { shared }) });
  return rows.add(async () => {
    const operator = await createOperator();
    const options = { ...twinOptions, mark, hasAccountRows: !shared };
    const twin = await createTwin(dashboard.database, operator.tenant, options);
    return { operator, twin, rows, isSameAccount: shared !== undefined };
  });
}

/** With values that the route would accept from the owner itself. */
async function withParams(route: ListedRoute, owner: Owner): Promise<Victim> {
  const make = changes[formatRoute(route)];
  if (!make) return owner;
  const { path } = await owner.rows.add(async () => make({ ...owner.operator, dashboard }));
  return path ? { ...owner, params: path } : owner;
}

async function createApp(): Promise<Tenant> {
  const { tenant } = account;
  const { accountId } = tenant;
  const app = { id: newId(), accountId, name: 'Test app', delivery: 'sandbox' };
  await dashboard.database.prisma.app.create({ data: app });
  return { ...tenant, appId: app.id };
}

type Caller = { operator: Neighbour; twin: Victim['twin']; cookie: string };

async function createCaller(operator: Neighbour, hasAccountRows = true): Promise<Caller> {
  const options = { word: 'shared', mark: 'own', hasAccountRows };
  const twin = await createTwin(dashboard.database, operator.tenant, options);
  return { operator, twin, cookie: await operator.signInForCookie() };
}

/** Queries that a route needs to return anything. */
function queryOfRoute({ appId }: Tenant): Record<string, Record<string, string> | undefined> {
  return {
    'GET /api/find': { app: appId },
    'GET /api/apps/:appId/resends/count': { state: 'failed' },
  };
}

/** A successful call of the route. */
async function open(
  { method, path }: ListedRoute,
  caller: Caller,
): Promise<Omit<Scene, 'hasEffect'>> {
  const { operator, twin, cookie } = caller;
  const change = await changes[formatRoute({ method, path })]?.({ ...operator, dashboard });
  const endpointId = twin.values.webhookEndpointId;
  const own = { ...twin.values, channel: 'email', endpointId };
  const values: Record<string, string> = { ...own, ...change?.path };
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const params = Object.fromEntries(names.map((name) => [name, values[name] ?? '']));
  const query = { ...queryOfRoute(operator.tenant)[formatRoute({ method, path })] };
  const call = { method, path, params, query, body: change?.body };
  return { twin, call, send: (changed) => send(changed, cookie) };
}

async function send(call: RouteCall, cookie: string): Promise<Answer> {
  const isForm = call.path === '/api/frames';
  const body = isForm
    ? new URLSearchParams({ ...call.body }).toString()
    : JSON.stringify(call.body);
  const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json';
  const response = await fetch(`${dashboard.url}${buildRequestTarget(call)}`, {
    method: call.method.toUpperCase(),
    headers: { Cookie: cookie, Origin: dashboard.url, 'Content-Type': type },
    ...(call.method === 'get' ? {} : { body }),
  });
  if (response.headers.get('content-type') !== 'text/event-stream') {
    return { status: response.status, text: await response.text() };
  }
  await response.body?.cancel();
  return { status: response.status, text: '' };
}

const looks =
  /^POST \/api\/(frames|set-up\/look|.*\/(check|variables|preview|dry-run|call-example))$/;

function changesSomething(route: ListedRoute): boolean {
  return route.method !== 'get' && !looks.test(formatRoute(route));
}

function listRoutes(): ListedRoute[] {
  return listAppRoutes(dashboard.app).filter(({ path }) => path.startsWith('/api/'));
}

type Callers = {
  victims: Owner[];
  create(): Promise<Caller>;
  /** Sets the role of the operator: owner for the preparation, then the role under test. */
  setRole?(role: string): Promise<unknown>;
};

/** Violations of each route. */
async function probe(
  routes: ListedRoute[],
  { victims, create, setRole }: Callers,
): Promise<string[]> {
  const problems: string[] = [];
  // One caller is enough for routes that change nothing.
  let reader: Promise<Caller> | undefined;
  for (const route of routes) {
    const hasEffect = changesSomething(route);
    const openScene = async () => {
      await setRole?.('owner');
      if (!hasEffect) reader ??= create();
      const scene = await open(route, await (hasEffect ? create() : reader!));
      await setRole?.(route.method === 'get' ? 'viewer' : 'editor');
      return { ...scene, hasEffect };
    };
    await setRole?.('owner');
    const [victim, ...more] = victims;
    const sceneVictims = victim && hasEffect ? [await withParams(route, victim), ...more] : victims;
    const takeReads = () => reads.take();
    problems.push(
      ...(await probeRoute({ open: openScene, takeReads, types, victims: sceneVictims, watch })),
    );
  }
  return [...problems, ...(await watch.findChanges())];
}

test('the foreign accounts have a row in every table of an app or account', async () => {
  for (const { rows } of otherOwners) expect(await rows.listEmptyTables()).toEqual([]);
});

test('an owner cannot read or change another account, on any route with any values', async () => {
  const routes = listRoutes();
  expect(routes.length).toBeGreaterThan(80);
  const create = async () => createCaller(await dashboard.createNeighbour());
  expect(await probe(routes, { victims: otherOwners, create })).toEqual([]);
});

test('the answers for an owner do not depend on the data of another account', async () => {
  const caller = await createCaller(await dashboard.createNeighbour());
  const scenes: Scene[] = [];
  for (const route of listRoutes().filter(({ method }) => method === 'get')) {
    scenes.push({ ...(await open(route, caller)), hasEffect: false });
  }
  const createTwinOfCaller = () => createOther('shared', 'whatsapp');
  expect(await probeReads(scenes, createTwinOfCaller)).toEqual([]);
});

test('a viewer and an editor cannot read or change another app through the app in the path', async () => {
  const setRole = (role: string) =>
    dashboard.database.prisma.operator.updateMany({
      where: { email: account.email },
      data: { role },
    });
  const forRoles = listRoutes().filter(
    ({ path, method }) =>
      path.includes(':appId/') || (path.endsWith(':appId') && method === 'patch'),
  );
  const problems = await probe(forRoles, {
    victims: [sibling],
    create: async () => createCaller({ ...account, tenant: await createApp() }, false),
    setRole,
  });
  expect(problems).toEqual([]);
});
