import { createTwilioRequest, type TwilioKind } from './request';

const sms: TwilioKind<string> = {
  scheme: '',
  senders: ['number', 'short_code', 'name', 'service'],
  senderHint: 'a number',
  read: (text) => ({ message: { Body: text } }),
};

function findFailureReason({
  target = '+4512345678',
  sender = '+15005550009',
}): string | undefined {
  const request = createTwilioRequest(sms, {
    messageId: 'm',
    target,
    content: 'Hello',
    settings: { sender },
  });
  return 'failure' in request ? request.failure.reason : undefined;
}

const targets = [
  ['7 digits', '+1234567', undefined],
  ['15 digits', '+123456789012345', undefined],
  ['6 digits', '+123456', 'no_target'],
  ['16 digits', '+1234567890123456', 'no_target'],
  ['a leading zero', '+0123456789', 'no_target'],
  ['no plus', '4512345678', 'no_target'],
  ['trailing text', '+4512345678\n', 'no_target'],
  ['the number of its sender', '+15005550009', '21266'],
] as const;

test.each(targets)('a target of %s is accepted, or refused: %j, %s', (_what, target, reason) => {
  expect(findFailureReason({ target })).toBe(reason);
});

const senders = [
  ['a short code of 3 digits', '123', undefined],
  ['a short code of 8 digits', '12345678', undefined],
  ['2 digits', '12', 'no_sender'],
  ['a name of 1 letter', 'A', undefined],
  ['a name of 11 characters', 'Acme Shop 1', undefined],
  ['a name of 12 characters', 'Acme Shop 12', 'no_sender'],
  ['a messaging service', `MG${'a'.repeat(32)}`, undefined],
  ['a messaging service with a digit missing', `MG${'a'.repeat(31)}`, 'no_sender'],
] as const;

test.each(senders)('%s as the sender is accepted, or refused: %j, %s', (_what, sender, reason) => {
  expect(findFailureReason({ sender })).toBe(reason);
});
