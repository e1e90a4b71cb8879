import { formatFieldName, toSentence } from './field-problem';

test.each([
  ['settings.from.address', 'From address'],
  ['credentials.access_token', 'Access token'],
  ['newPassword', 'New password'],
  ['name', 'Name'],
])('the path %s is shown as %s', (path, name) => {
  expect(formatFieldName(path)).toBe(name);
});

test('a problem becomes a sentence with one full stop', () => {
  expect(toSentence('Host', 'is missing')).toBe('Host is missing.');
  expect(toSentence('User', 'is wrong. See the log.')).toBe('User is wrong. See the log.');
  expect(toSentence('Text', 'This tag is never closed.')).toBe('Text: This tag is never closed.');
});
