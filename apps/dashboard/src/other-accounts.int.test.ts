import { defaultPolicy } from '@belfry/shared';
import { channelVersion } from '@belfry/testing';
import {
  createStoredDashboard,
  type SignedIn,
  type StoredDashboard,
  testPassword,
} from './stored-dashboard.fixture';

let dashboard: StoredDashboard;
let mine: Owned;
let theirs: Owned;

/** An account with one of everything that a path can name. */
type Owned = SignedIn & { eventId: string; integrationId: string; sessionId: string };

beforeAll(async () => {
  dashboard = await createStoredDashboard();
});
beforeEach(async () => {
  [mine, theirs] = await Promise.all([createOwned(), createOwned()]);
});
afterAll(() => dashboard.close());

async function createOwned(): Promise<Owned> {
  const person = await dashboard.signedIn();
  const { factories, call } = dashboard;
  const version = { slack: channelVersion({ text: 'Hi' }) };
  const { eventId } = await factories.createEvent(person, version);
  const { id: integrationId } = await factories.createIntegration(person, {
    channel: 'slack',
    provider: 'slack',
    credentials: { access_token: 'xoxb-1234567890-secret' },
  });
  const listed = await call({ method: 'get', path: '/api/sessions', cookie: person.cookie });
  return { ...person, eventId, integrationId, sessionId: listed.body.sessions[0].id };
}

const definition = {
  defaultLocale: 'en',
  missing: 'empty',
  isSensitive: false,
  channels: {
    slack: { integrationIds: [], templates: { en: { text: 'x' } }, policy: defaultPolicy },
  },
};
const integration = { name: 'x', settings: {}, credentials: {} };
const app = '/api/apps/:app_id';
const event = `${app}/events/:event_id`;
const one = `${app}/integrations/:integration_id`;

/** A body that each route with a path parameter takes. */
const rows: Record<string, object | undefined> = {
  'DELETE /api/sessions/:session_id': undefined,
  'POST /api/account/keys/:key_id/show': { password: testPassword },
  'DELETE /api/account/keys/:key_id': undefined,
  [`PUT ${app}`]: { name: 'taken over' },
  [`GET ${app}/integrations`]: undefined,
  [`POST ${app}/integrations`]: { ...integration, channel: 'slack', provider: 'slack' },
  [`GET ${one}`]: undefined,
  [`PUT ${one}`]: integration,
  [`DELETE ${one}`]: undefined,
  [`POST ${one}/test`]: undefined,
  [`POST ${one}/pause`]: undefined,
  [`POST ${one}/resume`]: undefined,
  [`GET ${app}/events`]: undefined,
  [`POST ${app}/events`]: { name: 'mine now' },
  [`GET ${event}`]: undefined,
  [`DELETE ${event}`]: undefined,
  [`PUT ${event}/draft`]: { revision: '1', definition },
  [`POST ${event}/publish`]: { revision: '1' },
  [`POST ${app}/preview`]: { channel: 'slack', template: { text: 'x' } },
};

/** What anybody may call, and what has the account's own rows only: no path names one of them. */
const open = [
  'GET /livez',
  'GET /readyz',
  'GET /api/welcome',
  'POST /api/setup/check',
  'POST /api/setup',
  'POST /api/sign-in',
];
const own = [
  'GET /api/session',
  'POST /api/sign-out',
  'GET /api/sessions',
  'DELETE /api/sessions',
  'GET /api/account/keys',
  'POST /api/account/keys',
  'GET /api/apps',
  'POST /api/apps',
  'GET /api/providers',
];

test('every route has a row', () => {
  expect([...dashboard.routes].sort()).toEqual([...open, ...own, ...Object.keys(rows)].sort());
});

function send(route: string, values: Owned, cookie?: string) {
  const [method = '', path = ''] = route.split(' ');
  const names: Record<string, string> = {
    app_id: values.appId,
    event_id: values.eventId,
    integration_id: values.integrationId,
    key_id: values.apiKeyId,
    session_id: values.sessionId,
  };
  const body = rows[route];
  return dashboard.call({
    method: method.toLowerCase() as 'get',
    path: path.replace(/:(\w+)/g, (_, name: string) => names[name] ?? ''),
    ...(body ? { body } : {}),
    ...(cookie ? { cookie } : {}),
  });
}

async function rowsOf({ accountId, appId, operatorId }: Owned): Promise<string> {
  const { prisma } = dashboard.database;
  const where = { appId };
  const found = await Promise.all([
    prisma.app.findMany({ where: { accountId } }),
    prisma.apiKey.findMany({ where: { accountId } }),
    prisma.event.findMany({ where }),
    prisma.eventVersion.findMany({ where }),
    prisma.integration.findMany({ where }),
    prisma.auditEntry.findMany({ where: { accountId }, orderBy: { id: 'asc' } }),
    prisma.operatorSession.findMany({ where: { operatorId } }),
  ]);
  return JSON.stringify(found);
}

const nowhere = '01980000-0000-7000-8000-00000000dead';

describe.each(Object.keys(rows))('%s', (route) => {
  test('answers for another account’s as for what is not there, and changes nothing', async () => {
    const before = await rowsOf(theirs);
    const ghost = { ...theirs, appId: nowhere, eventId: nowhere, integrationId: nowhere };
    const missing = { ...ghost, apiKeyId: nowhere, sessionId: nowhere };
    const answers = [
      await send(route, theirs, mine.cookie),
      await send(route, missing, mine.cookie),
    ];
    const [seen, unseen] = answers.map(({ status, body }) => ({
      status,
      body: { ...body, request_id: '' },
    }));
    expect(seen?.status).toBe(404);
    expect(seen).toEqual(unseen);
    expect(await rowsOf(theirs)).toBe(before);
  });
});

const nested = Object.keys(rows).filter((route) => /:(event|integration)_id/.test(route));

test.each(nested)('%s finds nothing of another account behind one’s own app', async (route) => {
  const before = await rowsOf(theirs);
  const mixed = { ...theirs, appId: mine.appId };
  expect((await send(route, mixed, mine.cookie)).status).toBe(404);
  expect(await rowsOf(theirs)).toBe(before);
});

test.each([...own, ...Object.keys(rows)])('%s asks for a session', async (route) => {
  const answer = await send(route, mine);
  expect([answer.status, answer.body.code]).toEqual([401, 'session_required']);
});
