import { createMetaMessage, createMetaPreference } from '@belfry/testing';
import { metaReceipts } from './meta-receipts';

const phoneNumberId = '100000000000001';
const message = { from: '16505551234', id: 'wamid.A', timestamp: '1749416383' };

function read(...changes: unknown[]) {
  return metaReceipts.readReplies?.({
    ...{ url: 'https://belfry.example/', headers: {}, credentials: {} },
    settings: { sender: '42' },
    rawBody: Buffer.from(JSON.stringify({ entry: [{ changes }] })),
  });
}

const readMessage = (fields: Record<string, unknown>) =>
  read(createMetaMessage({ ...message, ...fields }, phoneNumberId));

describe('a message of a person to a WhatsApp number', () => {
  test('that is a keyword is about the person’s number, and the number it was sent to', () => {
    expect(readMessage({ type: 'text', text: { body: 'Stop' } })).toEqual([
      {
        ...{ wish: 'stop', address: '+16505551234', sender: phoneNumberId, identity: 'wamid.A' },
        at: new Date('2025-06-08T20:59:43Z'),
      },
    ]);
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['a button of a template', { button: { text: 'Stop promotions', payload: 'p1' } }, 'stop'],
    ['the payload of a button', { button: { text: 'Nein', payload: 'STOP' } }, 'stop'],
    [
      'a button of an interactive message',
      { interactive: { type: 'button_reply', button_reply: { id: '1', title: 'Start' } } },
      'start',
    ],
  ])('may be %s', (_title, fields, wish) => {
    expect(readMessage(fields)).toMatchObject([{ wish }]);
  });

  test.each<[string, Record<string, unknown>]>([
    ['another text', { text: { body: 'Stop it please' } }],
    ['no text', {}],
    ['a text that is an object', { text: { body: { STOP: 1 } } }],
    ['no ID', { text: { body: 'STOP' }, id: undefined }],
    ['a sender that is no number', { text: { body: 'STOP' }, from: 'US.13491208655302741918' }],
    ['a number as a number', { text: { body: 'STOP' }, from: 16505551234 }],
  ])('changes nothing with %s', (_title, fields) => {
    expect(readMessage(fields)).toEqual([]);
  });

  test.each([
    ['5215512345678', ['+525512345678', '+5215512345678']],
    ['525512345678', ['+525512345678', '+5215512345678']],
    ['5491123456789', ['+541123456789', '+5491123456789']],
    ['551187654321', ['+551187654321', '+5511987654321']],
    ['5511987654321', ['+551187654321', '+5511987654321']],
    ['4512345678', ['+4512345678']],
  ])('with the ID %s is about each number that it may stand for', (from, addresses) => {
    const replies = readMessage({ from, text: { body: 'STOP' } });
    expect(replies?.map(({ address }) => address)).toEqual(addresses);
  });

  test('without a time counts when it arrives', () => {
    const replies = readMessage({ text: { body: 'STOP' }, timestamp: 'soon' });
    expect(replies?.[0]).not.toHaveProperty('at');
  });
});

describe('a preference for marketing messages', () => {
  const preference = { wa_id: '16505551234', timestamp: 1_731_705_721 };

  test.each([
    ['stop', 'stop'],
    ['resume', 'start'],
  ] as const)('%s is a %s', (value, wish) => {
    expect(read(createMetaPreference({ ...preference, value }, phoneNumberId))).toMatchObject([
      ...[{ wish, address: '+16505551234', sender: phoneNumberId }],
    ]);
  });

  test('of another category or value changes nothing', () => {
    const change = createMetaPreference({ ...preference, value: 'stop' }, phoneNumberId);
    for (const other of [{ category: 'utility' }, { value: 'toggle' }, { value: 'constructor' }]) {
      const [stored] = change.value.user_preferences;
      const value = { ...change.value, user_preferences: [{ ...stored, ...other }] };
      expect(read({ ...change, value })).toEqual([]);
    }
  });
});

test.each([
  [null],
  [{ field: 'messages' }],
  [{ field: 'messages', value: { messages: [1, null] } }],
])('the change %j says nothing', (change) => {
  expect(read(change)).toEqual([]);
});
