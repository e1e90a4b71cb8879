// Compiled, never run: each call under `@ts-expect-error` must be an error.
import belfryClient = require('@belfry/client');

interface OrderData {
  user_name: string;
  items: { quantity: number }[];
}

class Order {
  id = 'A-1001';
  getTotal(): number {
    return 0;
  }
}

type Body = belfryClient.SendEventBody;
declare const belfry: belfryClient.Belfry;
declare const orderData: OrderData;
declare const record: Record<string, unknown>;
declare const unknownValue: unknown;

function send(data: Body['data']) {
  const override: Body['override'] = { push: { message: { data } }, providers: { mail: data } };
  return belfry.events.send({ event: 'order_shipped', data, override });
}

function wrap<Data extends object>(data: Data) {
  return send(data);
}

const accepted = [
  send(orderData),
  send(new Order()),
  send(record),
  send({ user_name: 'Ana', nested: { list: [1, null] } }),
  send(null),
  belfry.events.bulkSend({ event: 'e', batch: [{ user: {}, data: orderData }] }),
  belfry.devices.add('ana', { platform: 'ios' }),
];

const refused = [
  // @ts-expect-error
  send(() => orderData),
  // @ts-expect-error
  send(Order),
  // @ts-expect-error
  send([orderData]),
  // @ts-expect-error
  send(new Map([['user_name', 'Ana']])),
  // @ts-expect-error
  send('Ana'),
  // @ts-expect-error
  send(Symbol('Ana')),
  // @ts-expect-error
  send(unknownValue),
  // @ts-expect-error
  belfry.devices.add('ana', { platform: 'windows' }),
  // @ts-expect-error
  belfry.devices.update('ana', 'phone', { platform: 'windows' }),
  // @ts-expect-error
  belfryClient.createBelfryClient({ baseUrl: 'https://notify.example.com', appId: 'app' }),
];

export = { accepted, refused, wrap };
