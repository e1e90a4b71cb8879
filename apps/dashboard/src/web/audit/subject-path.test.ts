import { getSubjectPath } from './subject-path';

const entry = { appId: 'a', subject: 's' };
const name = { name: 'Name', isRemoved: false, requestId: null };
const removed = { ...name, isRemoved: true };

test('an audit entry leads to the page of what was changed', () => {
  const get = (action: string, subject: object = name) =>
    getSubjectPath({ ...entry, action }, { a: name, s: { ...name, ...subject } });
  expect(get('integration.changed')).toBe('/apps/a/integrations/s');
  expect(get('event.published')).toBe('/apps/a/events/s');
  expect(get('webhook.disabled')).toBe('/apps/a/webhooks/s');
  expect(get('message.resent', { requestId: 'r' })).toBe('/apps/a/log/r');
  expect(get('message.resent')).toBeUndefined();
  expect(get('sending.paused')).toBe('/apps/a/queues');
  expect(get('key.created')).toBe('/keys');
  expect(get('inbox_secret.revoked')).toBe('/apps');
  expect(get('account.created')).toBeUndefined();
});

test('nothing leads to what was removed', () => {
  const action = 'integration.removed';
  expect(getSubjectPath({ ...entry, action }, { a: name, s: removed })).toBeUndefined();
  expect(getSubjectPath({ ...entry, action }, { a: removed, s: name })).toBeUndefined();
});
