import { Value } from '@sinclair/typebox/value';
import { fcmPayload } from './fcm-payload';

test.each([
  [4, true],
  [5, false],
])('a web push with %i buttons: accepted %p', (count, isAccepted) => {
  const actions = Array.from({ length: count }, (_, at) => ({ action: `${at}`, title: 'Open' }));
  expect(Value.Check(fcmPayload, { webpush: { notification: { actions } } })).toBe(isAccepted);
});

const ttl = (value: string) => ({ android: { ttl: value } });
const withNotification = (notification: object) => ({ android: { notification } });
const header = (name: string, value: string) => ({ apns: { headers: { [name]: value } } });
const webHeader = (name: string, value: string) => ({ webpush: { headers: { [name]: value } } });
const label = (value: string) => ({ fcm_options: { analytics_label: value } });

test.each<[object, boolean]>([
  [ttl('0s'), true],
  [ttl('3.5s'), true],
  [ttl('2419199.9s'), true],
  [ttl('2419200s'), true],
  [ttl('2419201s'), false],
  [ttl('9999999s'), false],
  [ttl('60'), false],
  [withNotification({ color: '#00ff00' }), true],
  [withNotification({ color: 'green' }), false],
  [withNotification({ visibility: 'SECRET' }), true],
  [withNotification({ visibility: 'secret' }), false],
  [withNotification({ notification_priority: 'PRIORITY_MAX' }), true],
  [withNotification({ notification_priority: 'MAX' }), false],
  [header('apns-priority', '10'), true],
  [header('apns-priority', 'high'), false],
  [header('apns-collapse-id', 'x'.repeat(64)), true],
  [header('apns-collapse-id', 'x'.repeat(65)), false],
  [webHeader('Urgency', 'very-low'), true],
  [webHeader('Urgency', 'urgent'), false],
  [webHeader('Topic', 'a'.repeat(33)), false],
  [label('spring_2026'), true],
  [label('spring 2026'), false],
  [label('x'.repeat(51)), false],
])('%j is accepted by FCM: %p', (payload, isAccepted) => {
  expect(Value.Check(fcmPayload, payload)).toBe(isAccepted);
});
