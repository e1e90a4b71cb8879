import { sortSlackCode } from './codes';

test.each([
  ['not_in_channel', /invite/],
  ['channel_not_found', /workspace.*private channel/],
])('%s is the recipient’s, and the sentence says what to do', (code, hint) => {
  expect(sortSlackCode(code)).toMatchObject({
    outcome: 'rejected',
    scope: 'recipient',
    detail: expect.stringMatching(hint),
  });
});
