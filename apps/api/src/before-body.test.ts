import { AppError } from '@belfry/shared';
import request from 'supertest';
import type { ApiDeps } from './app';
import { appId, close, connect, createGateway, listen, sendPath } from './gateway.fixture';
import { bodyByRoute, fillRoute, routesWithRow } from './routes.fixture';

const overLimit: Partial<ApiDeps> = {
  limitRate: () => Promise.reject(new AppError('rate_limited', 'over the limit')),
};
const full: Partial<ApiDeps> = {
  findApp: async (id) => ({
    ...{ id, accountId: 'account_1', delivery: 'sandbox' },
    defaultRegion: null,
    isStorageFull: true,
  }),
};
const devicePath = `/v1/apps/${appId}/users/u1/devices/d1`;

type Head = { target?: string; auth?: string; type?: string; more?: string };

/** Sends only the head of a call and returns the response. The declared body never arrives. */
async function answerToHead(
  changes: Partial<ApiDeps>,
  { target = `POST ${sendPath}`, auth, type = 'application/json', more = '' }: Head,
): Promise<string> {
  const gateway = createGateway(changes);
  const { socket } = connect(await listen(gateway.server));
  const answer = new Promise<string>((resolve) =>
    socket.once('data', (data) => resolve(`${data}`)),
  );
  socket.write(
    `${target} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${auth ?? gateway.auth}\r\n` +
      `Content-Type: ${type}\r\n${more}Content-Length: 100\r\n\r\n{`,
  );
  const text = await answer;
  socket.destroy();
  await close(gateway.server);
  return text;
}

const put = `PUT ${devicePath}`;
const refusals: [code: string, changes: Partial<ApiDeps>, head: Head][] = [
  ['unauthenticated', {}, { auth: 'AuthKey x' }],
  ['app_not_found', {}, { target: 'POST /v1/apps/x/events/send' }],
  ['unsupported_media_type', {}, { type: 'text/plain' }],
  ['idempotency_key_invalid', {}, { more: 'Idempotency-Key: \r\n' }],
  ['rate_limited', overLimit, {}],
  ['storage_limit', full, {}],
  ['unauthenticated', {}, { target: put, auth: 'AuthKey x' }],
  ['unsupported_media_type', {}, { target: put, type: 'text/plain' }],
  ['rate_limited', overLimit, { target: put }],
  ['storage_limit', full, { target: put }],
];

test.each(refusals)('a call is refused with %s before its body arrives', async (code, ...call) => {
  expect(await answerToHead(...call)).toContain(`"code":"${code}"`);
});

test.each(routesWithRow)('the rate limit is checked before %s does anything', async (route) => {
  const gateway = createGateway(overLimit);
  const values = { app_id: appId, user_id: 'u1', device_id: 'd1' };
  const { method, path } = fillRoute(route, values);
  // supertest has a function for each method of a route.
  const apiRequest = request(gateway.server)
    [method as 'get'](path)
    .set('Authorization', gateway.auth);
  const answer = await (bodyByRoute[route] ? apiRequest.send({}) : apiRequest);
  expect(answer.body.code).toBe('rate_limited');
});
