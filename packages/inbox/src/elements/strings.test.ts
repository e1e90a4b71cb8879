import { describeNews, findStrings, languages } from './strings';

describe('findStrings', () => {
  test.each(Object.keys(languages))('has every text in %s', (language) => {
    const texts = Object.entries(findStrings(language));
    expect(texts.filter(([, text]) => !text?.trim())).toEqual([]);
    expect(languages[language]).toHaveLength(texts.length);
    expect(findStrings(language).news).toContain('{news}');
  });

  test.each([
    ['de', 'Benachrichtigungen'],
    ['de-AT', 'Benachrichtigungen'],
    ['DE_at', 'Benachrichtigungen'],
    ['fr-Latn-CA-x-private', 'Notifications'],
    ['ja-JP', '通知'],
    ['da', 'Notifications'],
    ['', 'Notifications'],
    ['constructor', 'Notifications'],
  ])('answers %j with the nearest language, else English', (tag, title) => {
    expect(findStrings(tag).title).toBe(title);
  });

  test('lets single texts be replaced', () => {
    const strings = findStrings('de', { title: 'Neuigkeiten' });
    expect([strings.title, strings.close]).toEqual(['Neuigkeiten', 'Schließen']);
  });
});

test('describeNews takes a title as it is', () => {
  expect(describeNews(findStrings('en'), '$& {news}')).toBe('Notifications, New: $& {news}');
});
