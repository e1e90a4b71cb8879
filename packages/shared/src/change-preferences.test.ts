import fc from 'fast-check';
import { applyChoices, type Choice, setSwitch, switchEverythingOff } from './change-preferences';
import { findOptOut } from './preferences';
import type { PreferencesBody } from './wire/preferences';
import { readPreferences } from './wire/recipient';

const news = { channel: 'email', category: 'news' };
const off = { disabled: true };

describe('setSwitch', () => {
  test.each<[PreferencesBody, { channel: string | null; category: string | null }, object]>([
    [{}, news, { categories: { news: { channel_preferences: { email: off } } } }],
    [
      { locale: 'de' },
      { ...news, category: null },
      { locale: 'de', channel_preferences: { email: off } },
    ],
    [{ disabled: false }, { channel: null, category: null }, off],
    [
      { categories: { news: { disabled: false }, sports: off } },
      news,
      {
        categories: {
          news: { disabled: false, channel_preferences: { email: off } },
          sports: off,
        },
      },
    ],
  ])('changes only one level of %j', (stored, level, expected) => {
    expect(setSwitch(stored, level, true)).toEqual(expected);
  });
});

test('switchEverythingOff leaves nothing on, and keeps the language', () => {
  const stored = { locale: 'de', categories: { news: { disabled: false } } };
  expect(switchEverythingOff(stored)).toEqual({ locale: 'de', disabled: true });
});

describe('applyChoices', () => {
  test('writes nothing that did not change', () => {
    const stored = { disabled: true, categories: { news: { disabled: false } } };
    const choices = [
      { ...news, isOn: true },
      { channel: 'email', category: null, isOn: false },
    ];
    expect(applyChoices(stored, choices)).toEqual(stored);
  });

  const maybe = fc.constantFrom(undefined, true, false).map((disabled) => ({ disabled }));
  const scope = fc
    .record({ email: maybe, sms: maybe })
    .chain((channel_preferences) => maybe.map((own) => ({ ...own, channel_preferences })));
  const stored = fc.record({ own: scope, news: scope }).map(({ own, ...categories }) => ({
    ...own,
    categories,
  }));
  const places = ['email', 'sms'].flatMap((channel) =>
    [null, 'news', 'sports'].map((category) => ({ channel, category })),
  );
  const choices = fc
    .shuffledSubarray(places)
    .chain((some) =>
      fc.tuple(...some.map((place) => fc.boolean().map((isOn) => ({ ...place, isOn })))),
    );

  test('gives every choice its effect, whatever was stored', () => {
    fc.assert(
      fc.property(stored, choices, (before, chosen: Choice[]) => {
        // Undefined members are those that JSON does not have.
        const after = applyChoices(JSON.parse(JSON.stringify(before)), chosen);
        for (const { channel, category, isOn } of chosen) {
          const facts = {
            kind: 'optional',
            call: undefined,
            stored: readPreferences(after),
          } as const;
          const optOut = findOptOut({ ...facts, channel, category: category ?? undefined });
          expect([channel, category, optOut === undefined]).toEqual([channel, category, isOn]);
        }
      }),
    );
  });
});
