import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Database } from '@belfry/database';
import { webhookTypeNames } from '@belfry/shared';
import { createFactories } from '../factories';
import type { Entry, StateEntry } from './recording';
import type { Tenant } from './workload';

export type WebhookReceiver = { url: string; close(): Promise<void> };

/** The last digits of an ID decide whether the first call is refused, or its connection is cut. */
const [refusedBelow, cutBelow, outOf] = [3, 5, 256];

/** Records each webhook that it answers with success. */
export async function startWebhookReceiver(
  record: (entry: Entry) => void,
): Promise<WebhookReceiver> {
  const triedIds = new Set<string>();

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const id = String(request.headers['webhook-id']);
    const fate = triedIds.has(id) ? outOf : Number.parseInt(id.slice(-2), 16);
    triedIds.add(id);
    if (fate < refusedBelow) return void response.writeHead(500).end();
    if (fate < cutBelow) return void response.destroy();
    const { data } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    const { message_id: messageId, state } = data;
    record({ type: 'webhook', atMs: performance.now(), id, messageId, state });
    response.writeHead(204).end();
  }

  const server = createServer((request, response) => {
    receive(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hooks`,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** An endpoint of each app for every state of a message. */
export async function createEndpoints(
  database: Database,
  tenants: readonly Tenant[],
  url: string,
): Promise<void> {
  const { createWebhookEndpoint } = createFactories(database);
  const types = webhookTypeNames.filter((type) => type.startsWith('message.'));
  for (const tenant of tenants) await createWebhookEndpoint(tenant, { url, types });
}

/** Records every state of every message in a table of its own, by other means than the product: a trigger for each row. */
export async function watchStates({ delivery }: Database): Promise<void> {
  await delivery.query('CREATE SCHEMA chaos');
  await delivery.query(
    'CREATE TABLE chaos.state (message_id uuid, state text, PRIMARY KEY (message_id, state))',
  );
  await delivery.query(`CREATE FUNCTION chaos.record_state() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO chaos.state VALUES (NEW.id, NEW.state) ON CONFLICT DO NOTHING; RETURN NULL; END $$`);
  await delivery.query(`CREATE TRIGGER chaos_state AFTER INSERT OR UPDATE ON message
    FOR EACH ROW EXECUTE FUNCTION chaos.record_state()`);
}

/** Lets the minutes pass until the third try of a webhook and until a probe. Shorter waits may be leases, which have 30 s. */
export async function skipLongWaits({ delivery }: Database): Promise<void> {
  await delivery.query(
    `UPDATE webhook_delivery SET next_at = now() WHERE outcome = 'waiting' AND next_at > now() + interval '35 s'`,
  );
  await delivery.query(
    `UPDATE webhook_endpoint SET circuit_open_until = now() WHERE circuit_open_until > now() + interval '35 s'`,
  );
}

/** The states that webhooks report. */
export async function readStates({ delivery }: Database): Promise<StateEntry[]> {
  const { rows } = await delivery.query<{ message_id: string; state: string }>(
    `SELECT message_id, state FROM chaos.state WHERE state NOT IN ('queued', 'sending')`,
  );
  return rows.map(({ message_id, state }) => ({ type: 'state', messageId: message_id, state }));
}
