import type { Reply } from '../channel';
import { twilioSms } from '../sms/twilio';
import { twilioWhatsapp } from '../whatsapp/twilio';

const service = `MG${'0a'.repeat(16)}`;
const message = {
  ...{ MessageSid: 'SM1', SmsStatus: 'received', From: '+4512345678', To: '+15005550009' },
  Body: 'STOP',
};

function read(
  fields: Record<string, string>,
  {
    provider = twilioSms,
    sender = '+1 500 555 0009',
  }: { provider?: Readable; sender?: string } = {},
): Reply[] | undefined {
  return provider.receipts?.readReplies?.({
    ...{ url: 'https://belfry.example/', headers: {}, credentials: {} },
    settings: { sender },
    rawBody: Buffer.from(new URLSearchParams({ ...message, ...fields }).toString()),
  });
}

type Readable = Pick<typeof twilioSms, 'receipts'>;

describe('a message of a person to a Twilio sender', () => {
  test('that is a keyword is about the person’s number and the integration’s own sender', () => {
    expect(read({})).toEqual([
      { wish: 'stop', address: '+4512345678', sender: '+1 500 555 0009', identity: 'SM1' },
    ]);
    expect(read({ Body: 'start' })).toMatchObject([{ wish: 'start' }]);
  });

  test('to a messaging service is about the service, in any case', () => {
    const to = { MessagingServiceSid: service.replace('MG', 'mg') };
    expect(read(to, { sender: service })).toMatchObject([{ sender: service }]);
  });

  test('to another number of the account is about that number only', () => {
    expect(read({ To: '+15005550007' })).toMatchObject([{ sender: '+15005550007' }]);
  });

  test.each<[Record<string, string>, string[]]>([
    [{ OptOutType: 'STOP', Body: 'Arrêt' }, ['stop']],
    [{ OptOutType: 'START', Body: 'Oui' }, ['start']],
    [{ OptOutType: 'HELP', Body: 'STOP' }, []],
    [{ OptOutType: 'NEW', Body: 'STOP' }, []],
  ])('obeys Advanced Opt-Out before the text: %j', (fields, wishes) => {
    expect(read(fields)?.map(({ wish }) => wish)).toEqual(wishes);
  });

  test.each([
    ['another text', { Body: 'Stop it please' }],
    ['a request for help', { Body: 'HELP' }],
    ['no text', { Body: '' }],
    ['no ID', { MessageSid: '' }],
    ['a sender that is no number', { From: '12345' }],
    ['a message on another channel', { From: 'rcs:+4512345678' }],
    ['a status of our own message', { MessageStatus: 'delivered' }],
  ])('changes nothing with %s', (_title, fields) => {
    expect(read(fields)).toEqual([]);
  });
});

describe('a message of a person to a WhatsApp sender of Twilio', () => {
  const whatsapp = { provider: twilioWhatsapp as Readable };
  const addresses = { From: 'whatsapp:+4512345678', To: 'whatsapp:+15005550009' };

  test('is about the number without its scheme', () => {
    expect(read(addresses, whatsapp)).toMatchObject([
      { wish: 'stop', address: '+4512345678', sender: '+1 500 555 0009' },
    ]);
  });

  test('may be the payload of a button, whatever its text', () => {
    const button = { Body: 'Nicht mehr', ButtonText: 'Nicht mehr', ButtonPayload: 'stop' };
    expect(read({ ...addresses, ...button }, whatsapp)).toMatchObject([{ wish: 'stop' }]);
  });

  test('is no SMS, and an SMS is no WhatsApp message', () => {
    expect(read(addresses)).toEqual([]);
    expect(read({}, whatsapp)).toEqual([]);
  });
});

test('Twilio gets empty TwiML, so that it sends nothing on our behalf', () => {
  expect(twilioSms.receipts?.answer).toEqual({
    type: 'text/xml; charset=utf-8',
    body: expect.stringMatching(/<Response><\/Response>$/),
  });
});
