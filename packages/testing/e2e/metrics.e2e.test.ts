import net from 'node:net';
import { messageStages } from '@belfry/runtime';
import { channelVersion, eventually, type System, startSystem, type Tenant } from '@belfry/testing';

let system: System;

beforeAll(async () => {
  system = await startSystem();
}, 60_000);

afterAll(() => system.stop(), 60_000);

async function read(url: unknown, path: string): Promise<{ status: number; text: string }> {
  const response = await fetch(new URL(path, String(url)));
  return { status: response.status, text: await response.text() };
}

/** The stages in which at least one message was. */
function listStages(text: string): string[] {
  const lines = text.matchAll(/^belfry_message_stage_seconds_count\{stage="(\w+)"\} [1-9]/gm);
  return [...lines].map(([, stage = '']) => stage);
}

describe('a running system', () => {
  test('exposes metrics of calls, messages and queues, without recipients', async () => {
    const tenant = await system.factories.createTenant();
    const event = await system.factories.createEvent(tenant, {
      email: channelVersion({ subject: 'x', text: 'y' }),
    });
    const email = 'canary.recipient@example.com';
    const user = { user_id: 'canary_user', email };
    const sent = await system.send(tenant, { event: event.name, user });
    const worker = (await system.workers[0]?.waitForLine('worker.ready'))?.['url'];
    const gateway = (await system.api.waitForLine('api.ready'))['metrics_url'];
    // The worker may also deliver messages of other tests in the same database.
    await eventually(async () => {
      const { text } = await read(worker, '/metrics');
      expect(text).toMatch(
        /belfry_messages_total\{channel="email",provider="\w+",outcome="accepted"\} [1-9]/,
      );
    });
    const { text: workerMetrics } = await read(worker, '/metrics');
    const { text: gatewayMetrics } = await read(gateway, '/metrics');
    expect(gatewayMetrics).toContain(
      'belfry_http_requests_total{route="/v1/apps/:app_id/events/send",method="POST",status="200"} 1',
    );
    expect(listStages(gatewayMetrics)).toEqual(['receive', 'commit']);
    // The gateway enqueued the message, or the relay did.
    const stages = Object.keys(messageStages).slice(2);
    expect(['relay', ...listStages(workerMetrics).filter((name) => name !== 'relay')]).toEqual(
      stages,
    );
    for (const text of [workerMetrics, gatewayMetrics]) {
      expect(text).toContain('belfry_oldest_waiting_seconds{channel="email"}');
      expect(text).toContain('belfry_queue_jobs{queue="deliver-email",state="waiting"}');
      expect(text).toContain('belfry_queue_jobs{queue="fanout",state="waiting"}');
      const secrets = ['canary', tenant.appId, tenant.accountId, String(sent.body.request_id)];
      for (const secret of secrets) expect(text).not.toContain(secret);
    }
  }, 60_000);

  test('reports its gateway and worker as alive and ready', async () => {
    const worker = (await system.workers[0]?.waitForLine('worker.ready'))?.['url'];
    for (const url of [system.apiUrl, worker]) {
      expect((await read(url, '/livez')).status).toBe(200);
      expect((await read(url, '/readyz')).status).toBe(200);
    }
  });

  test('answers 503 at /readyz as soon as it drains, and still finishes calls that have begun', async () => {
    const own = await startSystem({ workers: [] });
    const tenant = await own.factories.createTenant();
    const event = await own.factories.createEvent(tenant, {
      email: channelVersion({ subject: 'x', text: 'y' }),
    });
    const status = (await own.api.waitForLine('api.ready'))['metrics_url'];
    expect((await read(status, '/readyz')).status).toBe(200);
    const pendingCall = beginCall(own.apiUrl, tenant, { event: event.name });
    await pendingCall.hasBegun;
    own.api.signal('SIGTERM');
    await eventually(async () => {
      expect(await read(status, '/readyz')).toMatchObject({ status: 503 });
    });
    expect((await read(status, '/livez')).status).toBe(200);
    // The API port accepts no new connection, and answers `Connection: close` on open ones.
    await expect(read(own.apiUrl, '/readyz')).rejects.toThrow();
    pendingCall.finish('GET /readyz HTTP/1.1\r\nHost: gateway\r\n\r\n');
    expect(await pendingCall.answer).toMatch(/^HTTP\/1.1 200 .*"success":true.*HTTP\/1.1 503 /s);
    await own.stop();
    expect(own.api.lines).toContainEqual(
      expect.objectContaining({ message: 'shutdown.end', is_clean: true }),
    );
  }, 60_000);
});

/** A send whose body follows later. The gateway asks for the body once it handles the call. */
function beginCall(apiUrl: string, { appId, apiKey }: Tenant, body: object) {
  const { hostname, port } = new URL(apiUrl);
  const text = JSON.stringify(body);
  const socket = net.connect(Number(port), hostname);
  let received = '';
  const answer = new Promise<string>((resolve) => socket.once('close', () => resolve(received)));
  const hasBegun = new Promise<void>((resolve) => {
    socket.on('data', (piece) => {
      if (/^HTTP\/1.1 100 /.test(String(piece))) resolve();
      else received += String(piece);
    });
  });
  socket.write(
    [
      `POST /v1/apps/${appId}/events/send HTTP/1.1`,
      'Host: gateway',
      `Authorization: AuthKey ${apiKey}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(text)}`,
      'Expect: 100-continue',
      '',
      '',
    ].join('\r\n'),
  );
  return {
    hasBegun,
    answer,
    /** With the bytes that follow on its connection. */
    finish: (next: string) => socket.write(text + next),
  };
}
