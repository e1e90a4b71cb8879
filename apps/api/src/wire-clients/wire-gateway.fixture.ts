import type { AddressInfo } from 'node:net';
import { channelVersion } from '@belfry/testing';
import { createStoredGateway, type StoredGateway } from '../stored-gateway.fixture';
import { type Client, clients } from './clients.fixture';
import { exchange, type RawAnswer } from './exchange.fixture';

/** What a client sends, but for what it sends with every call. */
export type ClientCall = {
  client: Client;
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the app, encoded as the client encodes it. */
  path: string;
  /** Byte for byte. */
  body?: string;
  /** Beside the client's own; an empty text leaves one out. `{key}` is the API key. */
  headers?: Readonly<Record<string, string>>;
  /** What stands before the path in the request line; `{app}` is the app in every part. */
  origin?: string;
  app?: string;
};

export type WireGateway = StoredGateway & {
  exchange(call: ClientCall): Promise<RawAnswer & { json: Record<string, unknown> }>;
};

/** A gateway with an app of its own, in which the events `e` and `test` are live. */
export async function createWireGateway(): Promise<WireGateway> {
  const gateway = await createStoredGateway();
  const { appId, apiKey } = gateway.tenant;
  for (const name of ['e', 'test']) {
    await gateway.factories.createEvent(gateway.tenant, liveChannels, { name });
  }
  return {
    ...gateway,
    async exchange({
      client,
      method = 'POST',
      path,
      body,
      headers = {},
      origin = '',
      app = appId,
    }) {
      const all = {
        Host: 'notify.example.com',
        Authorization: 'AuthKey {key}',
        ...clients[client].headers,
      };
      const headerEntries = Object.entries({ ...all, ...headers }).filter(
        ([, value]) => value !== '',
      );
      // A server on a port has an address with a port.
      const { port } = gateway.server.address() as AddressInfo;
      const answer = await exchange(port, {
        method,
        target: `${origin}/v1/apps/{app}${path}`.replaceAll('{app}', app),
        headers: Object.fromEntries(
          headerEntries.map(([name, value]) => [name, value.replace('{key}', apiKey)]),
        ),
        ...(body === undefined ? {} : { body }),
      });
      return { ...answer, json: JSON.parse(answer.text) };
    },
  };
}

const liveChannels = {
  email: channelVersion({ subject: 'Hi {{name}}', text: 'Hi {{name}}' }),
  slack: channelVersion({ text: 'Hi {{name}}' }),
};

/** What was stored of each item of an accepted call, with what it was planned to. */
export async function readItems(gateway: StoredGateway, requestId: string) {
  const rows = await gateway.database.prisma.requestItem.findMany({
    where: { requestId },
    orderBy: { item: 'asc' },
    include: { messages: { orderBy: { channel: 'asc' } } },
  });
  return rows.map(({ recipient, data, override, messages, skips, ...row }) => ({
    recipient: JSON.parse(recipient ?? 'null'),
    data: JSON.parse(data ?? 'null'),
    override: JSON.parse(override ?? 'null'),
    locale: row.locale,
    scheduleAt: row.scheduleAt,
    skips,
    targets: Object.fromEntries(messages.map(({ channel, target }) => [channel, target])),
    dueAt: Object.fromEntries(messages.map(({ channel, dueAt }) => [channel, dueAt])),
  }));
}
