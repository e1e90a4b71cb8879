import { resendableStates } from './resend-outcome';

test('what waits or is being sent is not sent again', () => {
  expect(resendableStates).not.toContain('queued');
  expect(resendableStates).not.toContain('sending');
  expect(resendableStates).toContain('unknown');
  expect(resendableStates).toContain('failed');
});
