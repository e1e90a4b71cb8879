import { listChanges } from './list-changes';

const names = { 'version-1': { name: '3', isRemoved: false, requestId: null } };

describe('the changes of an audit entry', () => {
  test('are the fields that differ, with nested fields by dotted names', () => {
    const before = { name: 'mail', settings: { port: 25, from: { name: 'Shop' }, host: 'a' } };
    const change = { name: 'mail', settings: { port: 587, host: 'a' } };
    expect(listChanges({ before, change }, {})).toEqual([
      { field: 'settings.port', before: '25', after: '587' },
      { field: 'settings.from.name', before: 'Shop', after: undefined },
    ]);
  });

  test('are all fields if no old values are stored', () => {
    const change = { delivery: 'live', region: null, open: false, version: 'version-1' };
    expect(listChanges({ before: null, change }, names)).toEqual([
      { field: 'delivery', before: undefined, after: 'live' },
      { field: 'open', before: undefined, after: 'false' },
      { field: 'version', before: undefined, after: '3' },
    ]);
  });

  test('show what was removed, and the elements of a list', () => {
    expect(listChanges({ before: { name: 'Old' }, change: null }, {})).toEqual([
      { field: 'name', before: 'Old', after: undefined },
    ]);
    const change = { entered_credentials: ['user', 'pass'] };
    expect(listChanges({ before: {}, change }, {})).toMatchObject([{ after: 'user, pass' }]);
  });

  test('show a value that is named like a member of every object as it is', () => {
    const change = { name: 'constructor', note: 'toString' };
    expect(listChanges({ before: null, change }, {})).toMatchObject([
      { after: 'constructor' },
      { after: 'toString' },
    ]);
  });
});
