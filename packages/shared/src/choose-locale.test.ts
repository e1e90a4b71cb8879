import fc from 'fast-check';
import { canonicalizeLocale, chooseLocale } from './choose-locale';

const tags = ['en', 'de', 'pt', 'pt-BR', 'zh-Hans', 'zh-Hant', 'sr-Latn', 'en-GB', 'he'];

function choose(requested: string | undefined, available = tags, defaultLocale = 'en') {
  return chooseLocale(
    requested,
    Object.fromEntries(available.map((tag) => [tag, {}])),
    defaultLocale,
  );
}

describe('chooseLocale', () => {
  test.each([
    ['pt-BR', 'pt-BR'],
    ['pt_BR', 'pt-BR'],
    ['pt-br', 'pt-BR'],
    ['PT_br', 'pt-BR'],
    [' de_AT ', 'de'],
    ['de-DE-1996', 'de'],
    ['zh-Hant-TW', 'zh-Hant'],
    ['zh_hant_hk', 'zh-Hant'],
    ['zh-Hans-CN', 'zh-Hans'],
    ['sr-Latn-RS', 'sr-Latn'],
    ['pt-PT', 'pt'],
    ['EN_gb', 'en-GB'],
    ['en-GB-u-ca-buddhist', 'en-GB'],
    ['de-x-internal-only', 'de'],
    ['de-AT-t-en-x-a', 'de'],
    // ISO 639 changed the code of Hebrew.
    ['iw-IL', 'he'],
    ['en-US', 'en'],
  ])('%j selects %s without a note', (requested, locale) => {
    expect(choose(requested)).toEqual({ locale });
  });

  test.each(['zh', 'zh-TW', 'fr', 'fr_CA', 'sr', 'sr-Cyrl'])(
    '%s has no template: uses the default and adds a note',
    (requested) => {
      expect(choose(requested)).toEqual({
        locale: 'en',
        note: `there is no template for ${requested}: the default, en, was used`,
      });
    },
  );

  test.each([
    'deutsch!',
    'd',
    '-',
    'de--AT',
    'de-',
    '[object Object]',
    'i-klingon',
    'e'.repeat(90),
  ])('%j is not a language tag: uses the default and adds a note', (requested) => {
    const { locale, note } = choose(requested) ?? {};
    expect(locale).toBe('en');
    expect(note).toContain(`"${requested}" is not a language tag such as de or pt-BR`);
  });

  test.each([undefined, '', ' '])('%j requests no language: adds no note', (requested) => {
    expect(choose(requested)).toEqual({ locale: 'en' });
  });

  test('finds templates stored under another spelling of the tag', () => {
    expect(choose('pt-BR', ['en_us', 'pt_br'], 'en-US')).toEqual({ locale: 'pt_br' });
    expect(choose(undefined, ['en_us', 'pt_br'], 'en-US')).toEqual({ locale: 'en_us' });
    expect(choose('constructor', ['en'])).toMatchObject({ locale: 'en' });
  });

  test('returns undefined without a template in the default language', () => {
    expect(choose('fr', ['de'], 'en')).toBeUndefined();
    expect(choose('de-CH', ['de'], 'en')).toEqual({ locale: 'de' });
  });

  test('accepts any text, and returns a prefix of the requested tag or the default', () => {
    const part = fc.stringMatching(/^[A-Za-z0-9]{1,8}$/);
    const requested = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 80 }),
      fc.array(part, { maxLength: 6 }).map((parts) => parts.join('-')),
      fc.constantFrom(...tags).chain((tag) => part.map((more) => `${tag}_${more}`)),
    );
    fc.assert(
      fc.property(requested, (text) => {
        const { locale, note } = choose(text) ?? {};
        const canonical = canonicalizeLocale(text)?.toLowerCase();
        if (note !== undefined || text.trim() === '') expect(locale).toBe('en');
        else expect(`${canonical}-`).toMatch(new RegExp(`^${locale?.toLowerCase()}-`));
      }),
    );
  });
});
