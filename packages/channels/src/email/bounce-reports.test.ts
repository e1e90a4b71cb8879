import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { ReceiptReport } from '../receipt-reader';
import { readBounceMail } from './bounce-reports';

const bounceAddress = `b+${'0198f3c27d417c3a9b1e2f4d5c6b7a80'}.${'0a'.repeat(10)}@bounces.example.com`;
const url = 'https://notify.example.com/v1/receipts/i1/secret';

function read(mail: string, at = url): Promise<ReceiptReport[]> {
  return readBounceMail({ url: at, rawBody: Buffer.from(mail.replaceAll(/\r?\n/g, '\r\n')) });
}

type Report = { to?: string; type?: string; fields: string; original?: string };

function buildReport({ to = bounceAddress, type = 'delivery-status', fields, original }: Report) {
  return `Return-Path: <>
From: Mail Delivery System <MAILER-DAEMON@mx.example.net>
To: ${to}
Subject: Undelivered Mail Returned to Sender
MIME-Version: 1.0
Content-Type: multipart/report; report-type=${type}; boundary="=_1"

--=_1
Content-Type: text/plain; charset=us-ascii

I'm sorry to have to inform you that your message could not be delivered.

--=_1
Content-Type: message/${type}

${fields}

--=_1
Content-Type: message/rfc822

${original ?? 'From: shop@example.com\nTo: ada@example.org\nSubject: A secret subject\n\nA secret text'}

--=_1--
`;
}

const postfix = `Reporting-MTA: dns; mx.example.net
X-Postfix-Queue-ID: 4F2C91A0B3
X-Postfix-Sender: rfc822; ${bounceAddress}
Arrival-Date: Tue,  1 Dec 2026 10:00:00 +0000 (UTC)

Final-Recipient: rfc822; ada@example.org
Original-Recipient: rfc822;ada@example.org
Action: failed
Status: 5.1.1
Remote-MTA: dns; mail.example.org
Diagnostic-Code: smtp; 550 5.1.1 <ada@example.org>: Recipient address
    rejected: User unknown in virtual mailbox table`;

const suppress = [
  { change: 'suppress', reason: 'bounced', sender: '', detail: expect.any(String) },
];
const suppressLater = [{ ...suppress[0], minBounces: 3 }];

describe('a delivery status notification', () => {
  test('of a mailbox that does not exist fails the message and suppresses the address', async () => {
    expect(await read(buildReport({ fields: postfix }))).toEqual([
      expect.objectContaining({
        messageId: bounceAddress,
        recipient: 'ada@example.org',
        state: 'failed',
        reason: 'bounced',
        errorCode: '5.1.1',
        detail: expect.stringContaining(
          '550 5.1.1 <ada@example.org>: Recipient address rejected: User unknown',
        ),
        changes: suppress,
      }),
    ]);
  });

  test.each<[string, string, object | undefined]>([
    // RFC 3464, appendix E.1.
    [
      'that timed out',
      'Final-Recipient: rfc822; louisl@larry.slip.umd.edu\nAction: failed\nStatus: 4.0.0\nDiagnostic-Code: smtp; 426 connection timed out',
      { state: 'failed', reason: 'bounced', errorCode: '4.0.0' },
    ],
    // RFC 3464, appendix E.4: X.400 has its own diagnostics.
    [
      'of another mail system',
      'Final-Recipient: rfc822; ada@example.org\nAction: failed\nStatus: 5.0.0\nDiagnostic-Code: X-Unix; 67',
      { state: 'failed', reason: 'bounced' },
    ],
    [
      'of a full mailbox',
      'Final-Recipient: rfc822; ada@example.org\nAction: failed\nStatus: 5.2.2\nDiagnostic-Code: smtp; 552 5.2.2 Mailbox full',
      { state: 'failed', reason: 'bounced' },
    ],
    [
      'of a mail refused as spam',
      'Final-Recipient: rfc822; ada@example.org\nAction: failed\nStatus: 5.7.1\nDiagnostic-Code: smtp; 550 5.7.1 Blocked',
      { state: 'failed', reason: 'bounced' },
    ],
    [
      'about a delay',
      'Final-Recipient: rfc822; ada@example.org\nAction: delayed\nStatus: 4.4.1',
      { state: 'queued' },
    ],
    [
      'of a delivery',
      'Final-Recipient: rfc822; ada@example.org\nAction: delivered\nStatus: 2.1.5',
      { state: 'delivered' },
    ],
    [
      'of a server that sends no more reports',
      'Final-Recipient: rfc822; ada@example.org\nAction: relayed\nStatus: 2.1.9',
      { state: 'sent' },
    ],
    ['without an action', 'Final-Recipient: rfc822; ada@example.org\nStatus: 5.1.1', undefined],
    [
      'without a status',
      'Final-Recipient: rfc822; ada@example.org\nAction: failed',
      { state: 'failed' },
    ],
  ])('%s suppresses nothing at once', async (_what, recipient, expected) => {
    const fields = `Reporting-MTA: dns; mx.example.net\n\n${recipient}`;
    const reports = await read(buildReport({ fields }));
    expect(reports).toMatchObject(expected ? [expected] : []);
    const isBounce = reports.some(({ reason }) => reason === 'bounced');
    expect(reports.flatMap(({ changes = [] }) => changes)).toEqual(isBounce ? suppressLater : []);
  });

  // The README of rgl/MailBounceDetector shows it.
  test('of Exchange, without a diagnosis, suppresses the address', async () => {
    const fields = `Reporting-MTA: dns; PTPEDGE02.test.local

Final-recipient: RFC822;
 email_that_does_not_exists_this_is_just_a_test@gmail.com
Action: failed
Status: 5.1.1
Remote-MTA: dns; mx.google.com
X-Supplementary-Info: <mx.google.com #5.1.1 smtp;550-5.1.1 The email account
 that you tried to reach does not exist. - gsmtp>`;
    expect(await read(buildReport({ fields }))).toMatchObject([
      {
        recipient: 'email_that_does_not_exists_this_is_just_a_test@gmail.com',
        changes: suppress,
      },
    ]);
  });

  test('with the cause only in its diagnosis suppresses the address', async () => {
    const fields = `Reporting-MTA: dns; mx.example.net

Action: failed
Final-Recipient: rfc822;ada@example.org
Status: 5.0.0
Remote-MTA: dns; mail.example.org
Diagnostic-Code: smtp; 550 5.1.1 No such user`;
    expect((await read(buildReport({ fields }))).map(({ changes }) => changes)).toEqual([suppress]);
  });

  test('about several recipients has a report for each', async () => {
    const fields = `Reporting-MTA: dns; mx.example.net

Final-Recipient: rfc822; ada@example.org
Action: failed
Status: 5.1.1

Final-Recipient: rfc822; cc@example.org
Action: delayed
Status: 4.2.2`;
    expect(await read(buildReport({ fields }))).toMatchObject([
      { recipient: 'ada@example.org', state: 'failed' },
      { recipient: 'cc@example.org', state: 'queued' },
    ]);
  });

  test('that is repeated has the same identity, and another one another', async () => {
    const [first] = await read(buildReport({ fields: postfix }));
    const [again] = await read(buildReport({ fields: postfix.replace('4F2C91A0B3', 'OTHER') }));
    const [other] = await read(buildReport({ fields: postfix.replaceAll('5.1.1', '5.2.2') }));
    expect(again?.identity).toBe(first?.identity);
    expect(other?.identity).not.toBe(first?.identity);
  });

  test('keeps neither subject nor text of the mail', async () => {
    expect(JSON.stringify(await read(buildReport({ fields: postfix })))).not.toMatch(/A secret/);
  });
});

/** Written by Postfix 3.7.11 and Exim 4.96 of Debian 12, for replies of a server on loopback. */
describe('a notification of a real server', () => {
  test.each<[string, object]>([
    ['postfix-gone', { state: 'failed', reason: 'bounced', errorCode: '5.1.1', changes: suppress }],
    ['postfix-full', { state: 'failed', reason: 'bounced', errorCode: '5.2.2' }],
    ['postfix-spam', { state: 'failed', reason: 'bounced', errorCode: '5.7.1' }],
    ['postfix-relayed', { state: 'sent' }],
    // Exim repeats the reply only in its diagnosis.
    ['exim-gone', { state: 'failed', reason: 'bounced', errorCode: '5.0.0', changes: suppress }],
    ['exim-full', { state: 'failed', reason: 'bounced', errorCode: '5.0.0' }],
    ['exim-spam', { state: 'failed', reason: 'bounced', errorCode: '5.0.0' }],
    ['exim-delivered', { state: 'delivered' }],
  ])('%s is read', async (name, expected) => {
    const reports = await read(
      readFileSync(path.join(__dirname, 'bounce-samples', `${name}.eml`), 'utf8'),
    );
    const [who] = /(?<=-)\w+$/.exec(name) ?? [];
    const recipient = who === 'relayed' || who === 'delivered' ? 'ok' : who;
    const isBounce = reports.some(({ reason }) => reason === 'bounced');
    const changes = isBounce ? suppressLater : [];
    expect(reports).toMatchObject([
      { messageId: bounceAddress, recipient: `${recipient}@example.org`, ...expected },
    ]);
    expect(reports[0]?.changes ?? []).toEqual('changes' in expected ? expected.changes : changes);
    expect(JSON.stringify(reports)).not.toMatch(/A secret/);
  });
});

describe('an abuse report', () => {
  // RFC 5965, appendix B.2.
  const fields = `Feedback-Type: abuse
User-Agent: SomeGenerator/1.0
Version: 1
Original-Mail-From: <${bounceAddress}>
Original-Rcpt-To: <ada@example.org>
Arrival-Date: Thu, 8 Mar 2005 14:00:00 EDT
Reporting-MTA: dns; mail.example.com`;
  const report = { to: 'abuse@example.com', type: 'feedback-report', fields };

  test('keeps the message as delivered and suppresses the address', async () => {
    const [only, ...others] = await read(buildReport(report));
    expect(others).toEqual([]);
    expect(only).toMatchObject({
      messageId: bounceAddress,
      recipient: 'ada@example.org',
      state: 'delivered',
      errorCode: 'abuse',
      changes: [{ change: 'suppress', reason: 'complained', sender: '' }],
    });
  });

  test('may name the mail only by its Return-Path', async () => {
    const mail = buildReport({
      ...report,
      fields: 'Feedback-Type: abuse\nVersion: 1',
      original: `Return-Path: <${bounceAddress}>\nFrom: shop@example.com\n\nHi`,
    });
    expect(await read(mail)).toMatchObject([{ messageId: bounceAddress, state: 'delivered' }]);
  });

  test.each([['not-spam'], ['auth-failure'], ['constructor']])(
    'of the type %s is no complaint',
    async (type) => {
      const mail = buildReport({ ...report, fields: fields.replace('abuse', type) });
      expect(await read(mail)).toEqual([]);
    },
  );
});

describe('the bounce address', () => {
  const plain = { to: 'postmaster@example.com', fields: postfix };

  test('may come in the URL, in any case, escaped or not', async () => {
    const to = bounceAddress.toUpperCase();
    for (const shown of [to, encodeURIComponent(to)]) {
      const reports = await read(buildReport(plain), `${url}?to=${shown}`);
      expect(reports).toMatchObject([{ messageId: to }]);
    }
  });

  test.each(['Delivered-To', 'X-Original-To', 'Envelope-To'])('may come in %s', async (header) => {
    const mail = `${header}: ${bounceAddress}\n${buildReport(plain)}`;
    expect(await read(mail)).toMatchObject([{ messageId: bounceAddress }]);
  });

  test('that is missing makes the report say nothing', async () => {
    expect(await read(buildReport(plain))).toEqual([]);
  });
});

test.each([
  ['an automatic reply', `To: ${bounceAddress}\nAuto-Submitted: auto-replied\n\nI am away.`],
  ['an empty body', ''],
  ['binary data', '\0\u0001\u0002'],
  ['only headers', `To: ${bounceAddress}`],
  ['an unfinished part', `${buildReport({ fields: postfix }).slice(0, 600)}`],
  [
    'a thousand levels',
    Array.from(
      { length: 1_000 },
      (_, at) => `Content-Type: multipart/mixed; boundary=b${at}\n\n--b${at}\n`,
    ).join(''),
  ],
])('%s says nothing', async (_what, mail) => {
  expect(await read(mail)).toEqual([]);
});
