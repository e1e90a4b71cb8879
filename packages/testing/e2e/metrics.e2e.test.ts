import { channelVersion, eventually, type System, startSystem } from '@belfry/testing';

let system: System;

beforeAll(async () => {
  system = await startSystem();
}, 60_000);

afterAll(() => system.stop(), 60_000);

async function read(url: unknown, path: string): Promise<{ status: number; text: string }> {
  const response = await fetch(new URL(path, String(url)));
  return { status: response.status, text: await response.text() };
}

describe('a running system', () => {
  test('tells of calls, messages and queues, and never whom they are for', async () => {
    const tenant = await system.factories.createTenant();
    const event = await system.factories.createEvent(tenant, {
      email: channelVersion({ subject: 'x', text: 'y' }),
    });
    const email = 'canary.recipient@example.com';
    const user = { user_id: 'canary_user', email };
    const sent = await system.send(tenant, { event: event.name, user });
    const worker = (await system.workers[0]?.waitForLine('worker.ready'))?.['url'];
    const gateway = (await system.api.waitForLine('api.ready'))['metrics_url'];
    // The worker may also deliver what another test left in the same database.
    await eventually(async () => {
      const { text } = await read(worker, '/metrics');
      expect(text).toMatch(
        /belfry_messages_total\{channel="email",provider="\w+",outcome="accepted"\} [1-9]/,
      );
    });
    const { text: ofWorker } = await read(worker, '/metrics');
    const { text: ofGateway } = await read(gateway, '/metrics');
    expect(ofGateway).toContain(
      'belfry_http_requests_total{route="/v1/apps/:app_id/events/send",method="POST",status="200"} 1',
    );
    for (const text of [ofWorker, ofGateway]) {
      expect(text).toContain('belfry_oldest_waiting_seconds{channel="email"}');
      expect(text).toContain('belfry_queue_jobs{queue="deliver-email",state="waiting"}');
      expect(text).toContain('belfry_queue_jobs{queue="fanout",state="waiting"}');
      const secrets = ['canary', tenant.appId, tenant.accountId, String(sent.body.request_id)];
      for (const secret of secrets) expect(text).not.toContain(secret);
    }
  }, 60_000);

  test('is alive and ready, gateway and worker', async () => {
    const worker = (await system.workers[0]?.waitForLine('worker.ready'))?.['url'];
    for (const url of [system.apiUrl, worker]) {
      expect((await read(url, '/livez')).status).toBe(200);
      expect((await read(url, '/readyz')).status).toBe(200);
    }
  });
});
