import type { SmtpFault } from '@belfry/testing';
import { smtpSubject } from './smtp.subject.fixture';
import { findSmtpReplyRow, type SmtpStage, smtpReplies } from './smtp-replies';

const stages: Record<SmtpFault['at'], SmtpStage> = {
  connect: 'greeting',
  auth: 'auth',
  mail: 'mail',
  rcpt: 'rcpt',
  data: 'data',
  end: 'end',
};

function findRow(fault: SmtpFault) {
  return 'reply' in fault
    ? findSmtpReplyRow({ stage: stages[fault.at], reply: fault.reply })
    : undefined;
}

test('each row of the table is tested by a reply in the contract suite', () => {
  // Every fault of that subject comes from the simulator.
  const testedRows = smtpSubject.rows.map(([, fault]) => findRow(fault as SmtpFault));
  const untestedRows = smtpReplies.filter((row) => !testedRows.includes(row));
  // The simulator always offers TLS; smtp.test.ts covers a server without it.
  expect(untestedRows.map(({ reason }) => reason)).toEqual(['no_tls']);
});
