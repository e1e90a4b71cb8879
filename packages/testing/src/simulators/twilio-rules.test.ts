import { closeAll, closers, post } from './raw-calls.fixture';
import { createTwilioSimulator } from './twilio';

afterAll(closeAll);

// Each row is a valid request with one change.
describe('the simulator of Twilio', () => {
  const account = `AC${'0'.repeat(32)}`;
  const login = (user: string, password: string) =>
    `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  const valid = { To: '+4512345678', From: '+15005550009', Body: 'Hello' };
  const template = { To: '+4512345678', From: '+15005550009', ContentSid: `HX${'a'.repeat(32)}` };
  const service = `MG${'a'.repeat(32)}`;
  let url: string;

  beforeAll(async () => {
    const simulator = await createTwilioSimulator();
    closers.push(simulator.close);
    url = `${simulator.url}/2010-04-01/Accounts/${account}/Messages.json`;
  });

  const send = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
    post(url, {
      headers: {
        authorization: login(account, 'token'),
        'content-type': 'application/x-www-form-urlencoded',
        ...headers,
      },
      body: new URLSearchParams(fields).toString(),
    });

  test.each<[string, Record<string, string>]>([
    ['a text', valid],
    ['a text of 1,600 characters', { ...valid, Body: 'x'.repeat(1_600) }],
    ['a name as the sender', { ...valid, From: 'Acme 1' }],
    ['a short code', { ...valid, From: '12345' }],
    ['a service', { To: valid.To, Body: 'x', MessagingServiceSid: service, ShortenUrls: 'true' }],
    ['WhatsApp', { To: 'whatsapp:+4512345678', From: 'whatsapp:+15005550009', Body: 'x' }],
    ['a template', { ...template, ContentVariables: '{"1":"x"}' }],
    ['options', { ...valid, ValidityPeriod: '36000', ContentRetention: 'discard' }],
  ])('accepts %s', async (_what, fields) => {
    expect((await send(fields)).status).toBe(201);
  });

  test.each<[string, Record<string, string>, number]>([
    ['no recipient', { ...valid, To: '' }, 21604],
    ['a recipient without +', { ...valid, To: '4512345678' }, 21211],
    ['a recipient of 16 digits', { ...valid, To: '+1234567890123456' }, 21211],
    ['no sender', { To: valid.To, Body: 'x' }, 21603],
    ['a sender of 12 letters', { ...valid, From: 'abcdefghijkl' }, 21212],
    ['a sender with a dash', { ...valid, From: 'Acme-1' }, 21212],
    ['the recipient as the sender', { ...valid, From: valid.To }, 21266],
    ['two channels', { ...valid, From: 'whatsapp:+15005550009' }, 21910],
    ['a malformed service', { To: valid.To, Body: 'x', MessagingServiceSid: 'MG1' }, 21701],
    ['no text', { To: valid.To, From: valid.From }, 21619],
    ['an empty text', { ...valid, Body: '' }, 21602],
    ['a text of 1,601 characters', { ...valid, Body: 'x'.repeat(1_601) }, 21617],
    ['media without a URL', { ...valid, MediaUrl: 'x' }, 21620],
    ['a malformed template', { ...template, ContentSid: 'HX1' }, 21655],
    ['variables without a template', { ...valid, ContentVariables: '{"1":"x"}' }, 21656],
    ['variables that are not JSON', { ...template, ContentVariables: '{1}' }, 21656],
    ['an empty variable', { ...template, ContentVariables: '{"1":""}' }, 21656],
    ['a number as a variable', { ...template, ContentVariables: '{"1":1}' }, 21656],
    ['an underscore in the callback', { ...valid, StatusCallback: 'https://a_b.example/' }, 21609],
    ['short links without a service', { ...valid, ShortenUrls: 'true' }, 20001],
    ['a validity of 0', { ...valid, ValidityPeriod: '0' }, 20001],
    ['a validity over 10 hours', { ...valid, ValidityPeriod: '36001' }, 20001],
    ['a text to be obfuscated', { ...valid, ContentRetention: 'obfuscate' }, 20001],
    ['a number to be discarded', { ...valid, AddressRetention: 'discard' }, 20001],
    ['an unknown parameter', { ...valid, Text: 'x' }, 20001],
  ])('refuses %s', async (_what, fields, code) => {
    expect(await send(fields)).toMatchObject({ status: 400, body: { code } });
  });

  test.each<[string, Record<string, string>, number]>([
    ['no login', { authorization: '' }, 401],
    ['credentials of another account', { authorization: login(`AC${'1'.repeat(32)}`, 'x') }, 401],
    ['credentials without a password', { authorization: login(account, '') }, 401],
    ['JSON', { 'content-type': 'application/json' }, 415],
  ])('refuses %s', async (_what, headers, status) => {
    expect((await send(valid, headers)).status).toBe(status);
  });
});
