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

test('each row of the table decides about a reply of the contract suite', () => {
  // Every fault of that subject is one of the simulator.
  const testedRows = smtpSubject.rows.map(([, fault]) => findRow(fault as SmtpFault));
  const untestedRows = smtpReplies.filter((row) => !testedRows.includes(row));
  // A server that has no TLS is no reply of the simulator's: smtp.test.ts meets that one.
  expect(untestedRows.map(({ reason }) => reason)).toEqual(['no_tls']);
});
