import { findOptOut, formatOptOut, listSwitchedOff, type OptOutFacts } from './preferences';
import type { Preferences } from './recipient';

const all = (disabled: boolean): Preferences => ({ disabled });
const channel = (disabled: boolean): Preferences => ({
  channelPreferences: { email: { disabled } },
});
const category = (disabled: boolean): Preferences => ({ categories: { news: { disabled } } });
const both = (disabled: boolean): Preferences => ({
  categories: { news: { channelPreferences: { email: { disabled } } } },
});
const mix = (...parts: Preferences[]): Preferences => {
  const news = Object.assign({}, ...parts.map(({ categories }) => categories?.['news']));
  return { ...Object.assign({}, ...parts), categories: { news } };
};

const everything = { channel: null, category: null };
const email = { channel: 'email', category: null };
const news = { channel: null, category: 'news' };
const newsByEmail = { channel: 'email', category: 'news' };

function find(facts: Partial<OptOutFacts>) {
  const defaults = {
    kind: 'optional',
    category: 'news',
    call: undefined,
    stored: undefined,
  } as const;
  return findOptOut({ channel: 'email', ...defaults, ...facts });
}

describe('the most specific preference decides', () => {
  test.each([
    ['no preference', {}, undefined],
    ['everything off', all(true), everything],
    ['the channel off', channel(true), email],
    ['the category off', category(true), news],
    ['the category off for the channel', both(true), newsByEmail],
    ['everything off, the channel on', mix(all(true), channel(false)), undefined],
    ['everything off, the category on', mix(all(true), category(false)), undefined],
    ['the channel off, the category on', mix(channel(true), category(false)), undefined],
    ['the category off, the channel on', mix(category(true), channel(false)), news],
    ['the category off, but on for the channel', mix(category(true), both(false)), undefined],
    ['the category on, but off for the channel', mix(category(false), both(true)), newsByEmail],
    ['everything on, the channel off', mix(all(false), channel(true)), email],
  ])('%s', (_what, stored, expected) => {
    expect(find({ stored })).toEqual(expected);
  });

  test('and what is about another channel or category does not count', () => {
    expect(find({ stored: channel(true), channel: 'sms' })).toBeUndefined();
    expect(find({ stored: mix(category(true), both(true)), category: 'sports' })).toBeUndefined();
    expect(find({ stored: mix(category(true), both(true)), category: undefined })).toBeUndefined();
    expect(find({ stored: {}, category: 'constructor', channel: 'toString' })).toBeUndefined();
  });
});

describe('a preference of the call replaces the stored one of the same level', () => {
  test.each([
    ['on beats off', all(false), all(true), undefined],
    ['off beats on', both(true), both(false), newsByEmail],
    ['a more specific one of the call decides', channel(false), all(true), undefined],
    ['a more specific stored one decides', all(false), channel(true), email],
  ])('%s', (_what, call, stored, expected) => {
    expect(find({ call, stored })).toEqual(expected);
  });
});

test.each([
  ['all', all, everything],
  ['channel', channel, email],
  ['category', category, news],
  ['category and channel', both, newsByEmail],
])(
  'a mandatory event ignores the stored preference of the level %s, and obeys that of the call',
  (_level, of, expected) => {
    expect(find({ kind: 'mandatory', stored: of(true) })).toBeUndefined();
    expect(find({ kind: 'mandatory', call: of(true) })).toEqual(expected);
    expect(find({ kind: 'mandatory', call: of(true), stored: of(false) })).toEqual(expected);
  },
);

describe('a version without a kind obeys either switch, as before there were kinds', () => {
  test.each([
    ['everything off, the channel on', mix(all(true), channel(false)), everything],
    ['the channel off, everything on', mix(all(false), channel(true)), email],
    ['categories', mix(category(true), both(true)), undefined],
  ])('%s', (_what, stored, expected) => {
    expect(find({ kind: undefined, stored })).toEqual(expected);
  });

  test('members of the call replace stored ones', () => {
    expect(find({ kind: undefined, call: all(false), stored: all(true) })).toBeUndefined();
    expect(find({ kind: undefined, call: channel(true) })).toEqual(email);
  });
});

describe('what a change switched off', () => {
  test.each<[string, Preferences, Preferences, object[]]>([
    ['everything', {}, all(true), [everything]],
    ['a channel', all(false), channel(true), [email]],
    ['a category', {}, category(true), [news]],
    ['a category for a channel', category(false), mix(category(false), both(true)), [newsByEmail]],
    ['two at once', {}, mix(channel(true), category(true)), [email, news]],
    ['nothing that was off', mix(all(true)), mix(all(true)), []],
    ['nothing more specific that was off already', all(true), mix(all(true), channel(true)), []],
    ['nothing that is on again', all(true), {}, []],
    ['an exception that ends', mix(all(true), channel(false)), all(true), [email]],
    ['an exception that ends with everything', channel(false), all(true), [everything]],
    ['everything but an exception', {}, mix(all(true), channel(false)), [everything]],
  ])('%s', (_what, before, after, expected) => {
    expect(listSwitchedOff(before, after)).toEqual(expected);
  });
});

test.each([
  [everything, 'everything is off.'],
  [email, 'email is off.'],
  [news, 'category “news” is off.'],
  [newsByEmail, 'category “news” is off for email.'],
])('the sentence about %j names it', (optOut, end) => {
  expect(formatOptOut(optOut)).toBe(`Preferences of the recipient: ${end}`);
});
