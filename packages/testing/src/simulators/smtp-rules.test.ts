import { once } from 'node:events';
import { connect } from 'node:net';
import { createSmtpSimulator } from './smtp';
import { findMailProblem, findPathProblem } from './smtp-rules';

const plain = { isUtf8: false, is8Bit: false };
const head = {
  From: 'Ana <ana@example.com>',
  To: 'bo@example.org',
  Date: 'Sun, 29 Nov 2026 16:39:08 +0000',
  'Message-ID': '<1@example.com>',
};

function write(headers: Record<string, string>, body = 'Hello\r\n', more = ''): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from(`${lines.join('\r\n')}${more}\r\n\r\n${body}`);
}

const without = (name: keyof typeof head) =>
  Object.fromEntries(Object.entries(head).filter(([each]) => each !== name));

// Each row is a valid mail with one change.
describe('the simulator of a mail server', () => {
  test.each<[string, Buffer, object]>([
    ['a mail', write(head), plain],
    ['a line of 998 octets', write(head, `${'x'.repeat(998)}\r\n`), plain],
    ['a folded header', write(head, 'Hello', '\r\nSubject: a\r\n b'), plain],
    ['UTF-8 if it was requested', write({ ...head, Subject: 'é' }), { ...plain, isUtf8: true }],
    ['8-bit text if it was requested', write(head, 'é'), { ...plain, is8Bit: true }],
  ])('accepts %s', (_what, mail, options) => {
    expect(findMailProblem(mail, { ...plain, ...options })).toBeUndefined();
  });

  test.each<[string, Buffer]>([
    ['a line of 999 octets', write(head, `${'x'.repeat(999)}\r\n`)],
    ['a header of 999 octets', write({ ...head, Subject: 'x'.repeat(990) })],
    ['a bare LF', write(head, 'a\nb')],
    ['a bare CR', write(head, 'a\rb')],
    ['NUL', write(head, 'a\0b')],
    ['no From', write(without('From'))],
    ['no Date', write(without('Date'))],
    ['a From without an address', write({ ...head, From: 'Ana' })],
    ['a Date in another format', write({ ...head, Date: '2026-11-29T16:39:08Z' })],
    ['two subjects', write({ ...head, Subject: 'a' }, '', '\r\nSubject: b')],
    ['a Message-ID without brackets', write({ ...head, 'Message-ID': '1@example.com' })],
    ['a Message-ID without a domain', write({ ...head, 'Message-ID': '<1>' })],
    ['References without brackets', write({ ...head, References: '1@example.com' })],
    ['Bcc', write({ ...head, Bcc: 'eve@example.org' })],
    ['a header that is not in ASCII', write({ ...head, Subject: 'é' })],
    ['a body that is not 7-bit', write(head, 'é')],
    ['a type without MIME-Version', write({ ...head, 'Content-Type': 'text/plain' })],
    ['a line that is not a header', write(head, '', '\r\nHello')],
  ])('refuses %s', (_what, mail) => {
    expect(findMailProblem(mail, plain)).toMatch(/^5\d\d 5\.\d+\.\d+ \S/);
  });

  test.each<[string, string, boolean, boolean]>([
    ['64 characters before the @', `${'x'.repeat(64)}@example.com`, false, true],
    ['65 characters before the @', `${'x'.repeat(65)}@example.com`, false, false],
    ['255 characters in all', `a@${'x'.repeat(250)}.co`, false, false],
    ['letters that need SMTPUTF8', 'é@example.com', false, false],
    ['the same with SMTPUTF8', 'é@example.com', true, true],
  ])('of %s', (_what, address, isUtf8, isTaken) => {
    expect(findPathProblem(address, { ...plain, isUtf8 }) === undefined).toBe(isTaken);
  });

  test('refuses a mail at the final dot, and stores nothing of it', async () => {
    const simulator = await createSmtpSimulator();
    const socket = connect(simulator.port, '127.0.0.1');
    const sendCommand = async (text: string) => {
      socket.write(text);
      const [reply] = await once(socket, 'data');
      return String(reply);
    };
    await once(socket, 'data');
    await sendCommand('EHLO client.example\r\n');
    await sendCommand('MAIL FROM:<ana@example.com>\r\n');
    await sendCommand('RCPT TO:<bo@example.org>\r\n');
    await sendCommand('DATA\r\n');
    const reply = await sendCommand(`${write(without('From')).toString()}\r\n.\r\n`);
    socket.destroy();
    await simulator.close();
    expect(reply).toMatch(/^550 /);
    expect(simulator.sends).toEqual([]);
  });
});
