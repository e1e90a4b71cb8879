import type { FindResult } from '../../api/find';
import { mergeMatches } from './matches';

test('a stored user who is also a recipient is one match, and the same filter in another app is another', () => {
  const filters = { recipient: 'u_10001' };
  const user: FindResult = { kind: 'user', label: 'user ID u_10001', appId: 'a', filters };
  const recipient: FindResult = { ...user, kind: 'recipient', label: 'user ID or address u_10001' };
  const elsewhere: FindResult = { ...recipient, appId: 'b' };
  expect(mergeMatches([user, recipient, elsewhere])).toEqual([user, elsewhere]);
});
