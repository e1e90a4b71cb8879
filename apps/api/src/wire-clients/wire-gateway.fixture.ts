import type { AddressInfo } from 'node:net';
import { channelVersion } from '@belfry/testing';
import { createStoredGateway, type StoredGateway } from '../stored-gateway.fixture';
import { type Client, clients } from './clients.fixture';
import { exchange, type RawAnswer } from './exchange.fixture';

/** A client's request, without the headers of every call. */
export type ClientCall = {
  client: Client;
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path relative to the app, encoded as the client encodes it. */
  path: string;
  /** The raw body. */
  body?: string;
  /** Headers added to the client's own. An empty string removes one. `{key}` is the API key. */
  headers?: Readonly<Record<string, string>>;
  /** The prefix of the path in the request line. `{app}` is replaced by the app ID everywhere. */
  origin?: string;
  app?: string;
};

export type WireGateway = StoredGateway & {
  exchange(call: ClientCall): Promise<RawAnswer & { json: Record<string, unknown> }>;
};

/** A gateway with a new app, in which the events `e` and `test` are live. */
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
      // A server that listens on a port has an AddressInfo.
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

/** The stored items of an accepted call, with their planned messages. */
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
