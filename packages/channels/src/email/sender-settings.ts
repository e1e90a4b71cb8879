import { type Static, Type } from '@sinclair/typebox';
import { keepsCredentials } from '../credential-marks';
import { findReplyToProblem, parseEmailAddress } from './address';

/** The settings of every e-mail provider: the sender of mails whose template names none. */
export const senderSettings = {
  from: Type.Object(
    {
      name: Type.Optional(Type.String({ title: 'Sender name', maxLength: 255 })),
      address: Type.String({ title: 'Sender address', maxLength: 254 }),
    },
    keepsCredentials,
  ),
  reply_to: Type.Optional(
    Type.String({ title: 'Reply-to address', maxLength: 254, ...keepsCredentials }),
  ),
};

const schema = Type.Object(senderSettings);

/** Problems that the schema cannot express. */
export function checkSenderSettings({ from, reply_to }: SenderSettings): string[] {
  return [
    ...checkAddress('from.address', from.address),
    ...(reply_to ? checkReplyTo(reply_to) : []),
  ];
}

export type SenderSettings = Static<typeof schema>;

function checkAddress(field: string, address: string): string[] {
  const parsed = parseEmailAddress(address);
  return 'problem' in parsed ? [`${field} ${parsed.problem}`] : [];
}

function checkReplyTo(address: string): string[] {
  const problems = checkAddress('reply_to', address);
  const problem = findReplyToProblem(address);
  return problems.length === 0 && problem ? [`reply_to ${problem}`] : problems;
}
