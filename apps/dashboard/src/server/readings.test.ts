import { listReadings } from './readings';

const id = '019a77f4-0168-7c44-9a53-2f6d8e10b7a9';
const general = (text: string) => [
  `user ID or address ${text}`,
  `provider’s message ID ${text}`,
  `event ${text}`,
  `idempotency key ${text}`,
];

test.each([
  ['u_10001', general('u_10001')],
  [id, [`request, message or resend ID ${id}`, `OneSignal subscription:${id}`, ...general(id)]],
  ['C0123ABCD', ['Slack channel C0123ABCD', ...general('C0123ABCD').slice(1)]],
  ['WELCOMEMAIL', general('WELCOMEMAIL')],
  [
    '+1 202-555-0101',
    [
      'phone number +12025550101',
      'user ID or address +1 202-555-0101',
      'idempotency key +1 202-555-0101',
    ],
  ],
  [
    '<Ana@Example.com>',
    [
      'e-mail address Ana@Example.com',
      'user ID or address <Ana@Example.com>',
      'provider’s message ID Ana@Example.com',
      'idempotency key <Ana@Example.com>',
    ],
  ],
  ['order_id:A-1001', [...general('order_id:A-1001'), 'metadata order_id:A-1001']],
  [':A-1001', general(':A-1001')],
  ['  ', []],
])('%j is read as %j', (text, labels) => {
  expect(listReadings(text, null).map(({ label }) => label)).toEqual(labels);
});
