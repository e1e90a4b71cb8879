import { findMagicWordOfTelegram, findTelegramTargets, isSharedTelegramTarget } from './target';

describe('findTelegramTargets', () => {
  test.each([
    ['123456789', '123456789'],
    [' 42 ', '42'],
    ['-1001234567890', '-1001234567890'],
    ['4503599627370495', '4503599627370495'],
    ['-4503599627370495', '-4503599627370495'],
    ['@belfry_news', '@belfry_news'],
  ])('accepts %j as %s', (chatId, address) => {
    expect(findTelegramTargets({ telegram: { chatId } })).toEqual({ targets: [{ address }] });
  });

  test.each([
    '0',
    '-',
    '12.5',
    '1e9',
    '+42',
    '12 34',
    '12345678901234567',
    '4503599627370496',
    '9007199254740991',
    'belfry_news',
    '@abc',
    '@1abc',
    '@belfry-news',
    'https://t.me/belfry_news',
    '42\n43',
    '٤٢',
  ])('refuses %j', (chatId) => {
    expect(findTelegramTargets({ telegram: { chatId } })).toEqual({
      skip: 'invalid_address',
      detail: expect.stringContaining(`chat_id "${chatId}"`),
    });
  });

  test.each([[{}], [{ telegram: { chatId: '' } }], [{ telegram: { chatId: '  ' } }]])(
    'finds no target in %j',
    (recipient) => {
      expect(findTelegramTargets(recipient)).toMatchObject({ skip: 'no_address' });
    },
  );
});

test.each([
  ['42', false],
  ['-1001234567890', true],
  ['@belfry_news', true],
])('%s is shared by several people: %s', (target, isShared) => {
  expect(isSharedTelegramTarget(target)).toBe(isShared);
});

test.each([
  ['@sandbox_bounce', 'bounce'],
  ['@Sandbox_Retry', 'retry'],
  ['@sandbox', undefined],
  ['42', undefined],
])('the magic word of %s is %s', (target, word) => {
  expect(findMagicWordOfTelegram(target)).toBe(word);
});
