import { resendableStates } from './resend-outcome';

test('a queued or sending message cannot be resent', () => {
  expect(resendableStates).not.toContain('queued');
  expect(resendableStates).not.toContain('sending');
  expect(resendableStates).toContain('unknown');
  expect(resendableStates).toContain('failed');
});
