import { call, type HttpAnswer } from '../attacks/http-call';
import type { Random } from '../chaos/random';
import { createKind, type KindReport } from './report';
import type { World } from './world';

const loopback = ['127.0.0.1', 'localhost', '[::1]', '127.0.0.2', 'app.localhost', 'LOCALHOST'];
const foreign = ['evil.example', 'example.com', '10.0.0.1', '169.254.169.254', '[::]', '0.0.0.0'];
/** Ways to make a foreign name look like a name of this machine. */
const disguises: ((own: string, other: string) => string)[] = [
  (own, other) => `${own}.${other}`,
  (own, other) => `${own}@${other}`,
  (own, other) => `${own}:80@${other}`,
  (own, other) => `${other}#${own}`,
  (own, other) => `${other}/${own}`,
  (own, other) => `${other}?${own}`,
  (own, other) => `${other}\\${own}`,
  (own, other) => `${other}, ${own}`,
  (own, other) => `${own}-${other}`,
  (own, other) => `${own}${other}`,
  (own, other) => `${own.slice(0, 4)}${other}`,
  (own, other) => `${own}%2e${other}`,
  (own, other) => `${own} ${other}`,
  (_own, other) => `${other}.`,
  (_own, other) => other,
];

/** Foreign names in Host and Origin, in many disguises: none may read or sign in. */
export async function runOrigins(world: World, random: Random, count: number): Promise<KindReport> {
  const kind = createKind('S4', 'dashboard: foreign hosts and origins');
  const { url } = world.programs.dashboard;
  const { host, port } = new URL(url);
  const body = JSON.stringify({ email: 'a@b.example', password: 'guess' });
  for (let index = 0; index < count && !world.isAborted(); index += 1) {
    const name = random.pick(disguises)(random.pick(loopback), random.pick(foreign));
    const other = random.chance(0.5) ? `${name}:${port}` : name;
    const [sentHost, sentOrigin] = random.pick([
      [other, other],
      [host, other],
      [other, host],
    ] as const);
    const headers = {
      ...{ host: sentHost, origin: `http://${sentOrigin}` },
      'content-type': 'application/json',
    };
    const answer = await call(url, '/api/session', { method: 'POST', headers, body }).catch(unsent);
    kind.trialCount += 1;
    if (answer.status !== 403 && answer.status !== 400) {
      kind.problems.push(`${answer.status} for Host ${sentHost} and Origin ${sentOrigin}`);
    }
  }
  return kind;
}

/** Node refuses to write some of them, as a browser does. */
function unsent(): Pick<HttpAnswer, 'status'> {
  return { status: 400 };
}

/** Values that a server may misread, or that a store refuses. */
const values = [
  ...['%00', 'a%00b', '%', '%zz', '%c0%80', '%ff', '%ed%a0%80', '%u0000', '%F0%9F%8E%89', '%0d%0a'],
  ...['', '%20', '-1', '1e400', '99999999999999999999', 'NaN', 'null', 'true', '[]', '{}', '%7B'],
  ...["'", '%27%3B--', '%25', '_', '%5C', '%2e%2e%2f', '..', '0'.repeat(36), 'x'.repeat(5_000)],
  ...[
    '2026-13-45',
    '9'.repeat(15),
    '00000000-0000-7000-8000-000000000000',
    '%EF%BF%BE',
    '%E2%80%AE',
  ],
];

/** Query parameters of the dashboard, by path. Add new parameters here. */
const queries: Record<string, string[]> = {
  '/api/apps/:app/log':
    'from to event channel state provider recipient requestId idempotencyKey cursor'.split(' '),
  '/api/apps/:app/captures': ['channel', 'event', 'text', 'before'],
  '/api/apps/:app/captures/:value': ['x'],
  '/api/apps/:app/resends': ['before'],
  '/api/apps/:app/resends/count': ['event', 'recipient', 'idempotencyKey', 'from', 'to', 'pace'],
  '/api/apps/:app/resends/:value': ['x'],
  '/api/apps/:app/requests/:value': ['item'],
  '/api/apps/:app/requests/:value/explanation': ['item'],
  '/api/apps/:app/users': ['search', 'text', 'before'],
  '/api/apps/:app/users/:value': ['x'],
  '/api/apps/:app/erasures': ['before'],
  '/api/apps/:app/suppressions': ['search', 'channel', 'before'],
  '/api/apps/:app/events/:value': ['x'],
  '/api/apps/:app/events/:value/versions': ['before'],
  '/api/apps/:app/events/:value/versions/:value': ['x'],
  '/api/apps/:app/filters': ['x'],
  '/api/apps/:value/log': ['event'],
  '/api/find': ['text', 'app'],
  '/api/audit': ['before', 'operator', 'app', 'action', 'from', 'to'],
  '/api/queues': ['app'],
  '/:value': ['x'],
};

/** Calls every GET of both servers with hostile paths and queries: none may answer 5xx. */
export async function runQueries(world: World, random: Random, count: number): Promise<KindReport> {
  const kind = createKind('S9', 'dashboard and gateway: hostile paths and queries');
  const reads = [...listDashboardReads(world), ...(await listGatewayReads(world))];
  for (let index = 0; index < count && !world.isAborted(); index += 1) {
    const read = reads[index % reads.length];
    if (!read) break;
    const path = fill(read.path, world, random);
    const query = `?${random.pick(read.names)}=${random.pick(values)}`;
    const answer = await read.request(path + query).catch(unsent);
    kind.trialCount += 1;
    if (answer.status >= 500) kind.problems.push(`${answer.status} for GET ${path}${query}`);
  }
  return kind;
}

type Read = {
  path: string;
  names: string[];
  request(path: string): Promise<Pick<HttpAnswer, 'status'>>;
};

function listDashboardReads({ browser }: World): Read[] {
  return Object.entries(queries).map(([path, names]) => ({
    path,
    names,
    request: (requestPath) => browser.send('GET', requestPath),
  }));
}

type Operation = { parameters?: { name: string; in: string }[] };

/** The paths of the OpenAPI document. */
async function listGatewayReads({ programs, attacker }: World): Promise<Read[]> {
  const { url } = programs.gateway;
  const headers = { authorization: `AuthKey ${attacker.apiKey}` };
  const { body } = await call(url, '/openapi.json');
  const paths: Record<string, { get?: Operation }> = body.paths;
  return Object.entries(paths).flatMap(([path, { get }]) => {
    if (!get) return [];
    const own = (get.parameters ?? []).filter((parameter) => parameter.in === 'query');
    const names = [...own.map(({ name }) => name), 'x'];
    const request = (requestPath: string) => call(url, `${requestPath}&timeout=0`, { headers });
    return [
      {
        path: path.replace(/\{app_id\}/, ':app').replace(/\{\w+\}/g, ':value'),
        names,
        request,
      },
    ];
  });
}

function fill(path: string, { attacker }: World, random: Random): string {
  return path
    .replaceAll(':app', attacker.appId)
    .replaceAll(':value', () => random.pick(values) || 'x');
}
