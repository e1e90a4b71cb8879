import type { Definition } from '../../api/events';
import { compareVersions } from './compare';
import { foldRows, isChangedRow, textRows } from './text-rows';
import { readVersionPlace, versionSearch } from './version-place';

const policy = { attempts: 8, timeToLiveMs: 86_400_000, onUnknown: 'resend' } as const;

function createDefinition(channels: Record<string, Record<string, unknown>>): Definition {
  const withPolicy = Object.entries(channels).map(([name, template]) => [
    name,
    { integrationIds: [`${name}-1`], templates: { en: template }, policy },
  ]);
  return {
    defaultLocale: 'en',
    missing: 'empty',
    isSensitive: false,
    channels: Object.fromEntries(withPolicy),
  };
}

const options = {
  channels: ['sms', 'email', 'slack'],
  integrationName: (id: string) => `name of ${id}`,
};

describe('two versions', () => {
  test('are compared by channel, in channel order, showing only differences', () => {
    const before = createDefinition({ slack: { text: 'a' }, email: { subject: 'x', html: 'y' } });
    const after = createDefinition({ email: { subject: 'x', html: 'z' }, sms: { text: 'new' } });
    const sections = compareVersions(before, after, options);
    expect(sections.map(({ name, change }) => [name, change])).toEqual([
      ['event', 'same'],
      ['sms', 'added'],
      ['email', 'changed'],
      ['slack', 'removed'],
    ]);
    expect(sections[2]).toMatchObject({
      fields: [{ name: 'en html', before: 'y', after: 'z' }],
      same: 6,
    });
    expect(sections[1]?.fields).toContainEqual({
      name: 'sent through',
      before: undefined,
      after: 'name of sms-1',
    });
  });

  test('also differ in settings and policy, with the labels of the forms', () => {
    const before = createDefinition({ sms: { text: 'a' } });
    const sms = { ...before.channels['sms']!, policy: { ...policy, timeToLiveMs: 3_600_000 } };
    const after: Definition = { ...before, missing: 'reject', channels: { sms } };
    const [event, channel] = compareVersions(before, after, options);
    expect(event?.fields).toEqual([
      { name: 'a missing value', before: 'renders as empty', after: 'fails the message' },
    ]);
    expect(channel?.fields).toEqual([
      { name: 'time to live', before: '24 h 0 m', after: '1 h 0 m' },
    ]);
  });

  test('show non-text values as JSON, one field per line', () => {
    const [, push] = compareVersions(
      createDefinition({ push: { data: { a: 1 } } }),
      createDefinition({ push: { data: { a: 1, b: 2 } } }),
      options,
    );
    expect(push?.fields[0]).toEqual({
      name: 'en data',
      before: '{\n  "a": 1\n}',
      after: '{\n  "a": 1,\n  "b": 2\n}',
    });
  });

  test('show everything as new if there is no earlier version', () => {
    const sections = compareVersions(undefined, createDefinition({ sms: { text: 'a' } }), options);
    expect(sections.map(({ change }) => change)).toEqual(['added', 'added']);
  });
});

describe('two texts', () => {
  const words = (side: { parts: { text: string; isChanged: boolean }[] } | undefined) =>
    side?.parts.map(({ text, isChanged }) => (isChanged ? `[${text}]` : text)).join('');

  test('are aligned by line with the changed words marked', () => {
    const rows = textRows('one\nHello {{name}}, bye\nthree', 'one\nHello {{user}}, bye\nthree');
    expect(rows.map(({ before, after }) => [words(before), words(after)])).toEqual([
      ['one', 'one'],
      ['Hello {{[name]}}, bye', 'Hello {{[user]}}, bye'],
      ['three', 'three'],
    ]);
  });

  test('leave a gap for a missing line', () => {
    const rows = textRows('a\nc', 'a\nb\nc');
    expect(rows.map(({ before, after }) => [before?.line, after?.line])).toEqual([
      [1, 1],
      [undefined, 2],
      [2, 3],
    ]);
  });

  test('are compared as a whole if they share almost nothing', () => {
    const [row] = textRows('completely other', 'new words here');
    expect([words(row?.before), words(row?.after)]).toEqual(['completely other', 'new words here']);
    expect(row && isChangedRow(row)).toBe(true);
  });

  test.each([
    ['no earlier text', '', 'a\nb', 2],
    ['no later text', 'a\nb', '', 2],
    ['only different line endings', 'a\r\nb\n', 'a\nb', 2],
  ])('have a row for each line: %s', (_what, before, after, count) => {
    expect(textRows(before, after)).toHaveLength(count);
  });

  test('fold equal lines, except three beside a change', () => {
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`);
    const rows = textRows(lines.join('\n'), lines.with(10, 'changed here').join('\n'));
    expect(foldRows(rows).map(({ rows: run, isFolded }) => [run.length, isFolded])).toEqual([
      [7, true],
      [7, false],
      [6, true],
    ]);
    expect(rows.filter(isChangedRow)).toHaveLength(1);
  });
});

describe('the URL of a version', () => {
  test('names the version and the one it is compared with, unlike the editor URL', () => {
    const version = '019a77f4-0168-7c44-9a53-2f6d8e10b7a9';
    const readPlace = (search: string) => readVersionPlace(search).place;
    expect(readPlace(versionSearch(version, 'draft'))).toEqual({ version, against: 'draft' });
    expect(readPlace(versionSearch(version))).toEqual({ version, against: undefined });
    expect(readPlace('tab=sms')).toBeUndefined();
  });
});
