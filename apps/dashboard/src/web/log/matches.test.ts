import type { FindResult } from '../../api/find';
import { mergeMatches } from './matches';

test('a stored user who is also a recipient is one match, and the same filter in another app is another', () => {
  const filters = { recipient: 'u_10001' };
  const user: FindResult = { kind: 'user', label: 'user ID u_10001', appId: 'a', filters };
  const recipient: FindResult = { ...user, kind: 'recipient', label: 'user ID or address u_10001' };
  const elsewhere: FindResult = { ...recipient, appId: 'b' };
  expect(mergeMatches([user, recipient, elsewhere])).toEqual([user, elsewhere]);
});

test('a user whose address only begins with the text is offered if nothing matches all of it', () => {
  const user = { label: 'user ID ana', appId: 'a', filters: { recipient: 'ana' }, userSid: 's' };
  const ana: FindResult = { ...user, kind: 'user', isPrefixMatch: true };
  const filters = { recipient: 'ana@example.com' };
  const exact: FindResult = { kind: 'recipient', label: 'ana@example.com', appId: 'a', filters };
  expect(mergeMatches([ana])).toEqual([ana]);
  expect(mergeMatches([exact, ana])).toEqual([exact]);
});
