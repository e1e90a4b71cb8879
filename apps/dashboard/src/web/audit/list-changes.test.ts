import { formatFull } from '../dates';
import { listChanges } from './list-changes';

const names = { 'version-1': { name: '3', isRemoved: false, requestId: null } };

/** `Port: 25 → 587` for each change. */
function format(change: Record<string, unknown> | null, before: Record<string, unknown> | null) {
  return listChanges({ before, change }, names).map((field) => {
    return `${field.label}: ${field.before} → ${field.after}`;
  });
}

describe('the changes of an audit entry', () => {
  test('are the fields that differ, with nested fields by their last names', () => {
    const before = { name: 'mail', settings: { port: 25, from: { name: 'Shop' }, host: 'a' } };
    const change = { name: 'mail', settings: { port: 587, host: 'a' } };
    expect(format(change, before)).toEqual(['Port: 25 → 587', 'From name: Shop → undefined']);
  });

  test('are all fields if no old values are stored', () => {
    const change = { delivery: 'live', region: null, channel: 'sms', version: 'version-1' };
    expect(format(change, null)).toEqual([
      'Version: undefined → 3',
      'Delivery: undefined → live',
      'Channel: undefined → sms',
    ]);
  });

  test('show what was removed, and the elements of a list', () => {
    expect(format(null, { name: 'Old' })).toEqual(['Name: Old → undefined']);
    const change = { entered_credentials: ['user', 'access_token'] };
    expect(format(change, {})).toEqual(['Entered credentials: undefined → user, access token']);
  });

  test('keep the ID of a new message, whose name is only its channel', () => {
    const [field] = listChanges(
      { before: null, change: { message: 'message-1' } },
      { 'message-1': { name: 'email', isRemoved: false, requestId: 'request-1' } },
    );
    expect(field).toMatchObject({ label: 'New message', after: 'message-1' });
  });

  test('have words instead of names from the code, and words for switches', () => {
    const change = {
      openInboxCounters: true,
      defaultRegion: 'DE',
      settings: { require_tls: false },
    };
    expect(format(change, { openInboxCounters: false })).toEqual([
      'Unsigned inbox counters: off → on',
      'Default region of phone numbers: undefined → DE',
      'Require tls: undefined → off',
    ]);
    expect(format({ after_ms: 0 }, null)).toEqual(['Ends: undefined → at once']);
    expect(format({ after_ms: 3_600_000 }, null)).toEqual(['Ends: undefined → after 1 h 0 m']);
    expect(format({ limitBytes: 5e8 }, null)).toEqual(['Storage limit: undefined → 500 MB']);
    expect(format({ limitBytes: null }, null)).toEqual(['Storage limit: undefined → default']);
  });

  test('of an alert rule name its kind and its numbers in words', () => {
    const change = { kind: 'no_worker', params: { minutes: 2 }, integrationId: 'version-1' };
    expect(format(change, null)).toEqual([
      'Kind: undefined → No worker',
      'Minutes: undefined → 2',
      'Integration: undefined → 3',
    ]);
    expect(format({ recipients: 2, fallbackRecipients: 0 }, null)).toEqual([
      'Recipients: undefined → 2',
    ]);
  });

  test('have the times of a filter in the zone of the page', () => {
    const filter = { to: '1764331445000', waits: 'limit', last: '24h' };
    expect(format({ filter, messages: 7, perSecond: 10 }, null)).toEqual([
      `Filter to: undefined → ${formatFull(1_764_331_445_000)}`,
      'Filter waiting: undefined → rate limited',
      'Filter time: undefined → last 24 h',
      'Messages: undefined → 7',
      'Messages per second: undefined → 10',
    ]);
    expect(format({ filters: { to: 'x' } }, null)).toEqual(['Filter to: undefined → x']);
  });

  test('name a version once, by its number', () => {
    expect(format({ version: 'version-1', number: 3, rolledBackTo: 1 }, null)).toEqual([
      'Version: undefined → 3',
      'Rolled back to version: undefined → 1',
    ]);
  });

  test('show a value that is named like a member of every object as it is', () => {
    const change = { name: 'constructor', note: 'toString' };
    expect(format(change, null)).toEqual([
      'Name: undefined → constructor',
      'Note: undefined → toString',
    ]);
  });

  test('leave out who made the change, which has a column of its own', () => {
    const change = { by: 'API key bk_abcdef…', description: 'Orders' };
    expect(format(change, null)).toEqual(['Description: undefined → Orders']);
  });
});
