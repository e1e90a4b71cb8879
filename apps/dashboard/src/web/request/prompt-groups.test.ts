import type { MessageChannelRow } from '../../api/requests';
import { groupPrompts } from './prompt-groups';

function createRow(id: string, changes: Partial<MessageChannelRow>): MessageChannelRow {
  const row = {
    ...{ kind: 'message', messageId: id, channel: 'sms', state: 'unknown', waits: null },
    ...{ resendOf: null, explanation: { what: 'No answer.', remedy: 'Look.' } },
    can: {
      resend: { isAllowed: true, warning: 'Twice.', because: null },
      cancel: { isAllowed: false, because: null },
    },
  };
  return { ...(row as unknown as MessageChannelRow), ...changes };
}

test('eight unknown messages on two channels are one group with one action', () => {
  const rows = Array.from({ length: 8 }, (_, index) =>
    createRow(`m${index}`, { channel: index % 2 ? 'sms' : 'email' }),
  );
  const groups = groupPrompts(rows, 0);
  expect(groups).toMatchObject([
    { action: 'resend', reasons: [{ channels: ['email', 'sms'], text: 'No answer. Look.' }] },
  ]);
  expect(groups[0]?.rows).toHaveLength(8);
});

test('a message that was resent needs no decision', () => {
  const old = createRow('old', { state: 'failed' });
  const newer = createRow('new', { state: 'sent', resendOf: 'old' });
  expect(groupPrompts([old, newer], 0)).toEqual([]);
});

test('messages that cannot be resent are apart, with the reason', () => {
  const can = {
    ...createRow('x', {}).can,
    resend: { isAllowed: false, warning: null, because: 'Suppressed.' },
  };
  const groups = groupPrompts([createRow('a', { can }), createRow('b', {})], 0);
  expect(groups.map(({ action, reasons }) => [action, reasons[0]?.text])).toEqual([
    [null, 'No answer. Look. Suppressed.'],
    ['resend', 'No answer. Look.'],
  ]);
});
