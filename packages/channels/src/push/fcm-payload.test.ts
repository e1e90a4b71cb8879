import { Value } from '@sinclair/typebox/value';
import { fcmPayload } from './fcm-payload';

test.each([
  [4, true],
  [5, false],
])('a web push with %i buttons: accepted %p', (count, isAccepted) => {
  const actions = Array.from({ length: count }, (_, at) => ({ action: `${at}`, title: 'Open' }));
  expect(Value.Check(fcmPayload, { webpush: { notification: { actions } } })).toBe(isAccepted);
});
