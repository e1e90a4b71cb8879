import { readFileSync } from 'node:fs';
import path from 'node:path';
import { renderPreferences, renderQuestion, type View } from './pages';
import { getStrings, languages } from './strings';
import { chooseTextColor } from './style';

const view: View = {
  language: 'en',
  facts: {
    accountId: 'a',
    appName: 'Shop',
    pageColor: null,
    categories: [
      { slug: 'news', texts: { de: { name: '<Neues>', description: 'Jeden Tag' } } },
      { slug: 'quiet', texts: {} },
    ],
    switches: [
      { category: null, channel: 'sms' },
      { category: 'news', channel: 'email' },
    ],
  },
  token: {
    appId: 'a',
    messageId: 'm',
    channel: 'email',
    category: 'news',
    target: 'ada@example.org',
  },
  path: 'token',
  channelLabels: { sms: 'SMS' },
};

describe('the texts of a page', () => {
  test('have the languages of the inbox', () => {
    const file = '../../../../packages/inbox/src/elements/strings.ts';
    const code = readFileSync(path.join(__dirname, file), 'utf8');
    const names = [...code.matchAll(/^ {2}(\w+): \[$/gm)].map(([, name]) => name);
    expect(names).toEqual(Object.keys(languages));
  });

  test.each(Object.keys(languages))('are complete in %s', (language) => {
    const texts = Object.values(getStrings(language));
    expect(texts.filter((text) => !text?.trim())).toEqual([]);
    expect(languages[language]).toHaveLength(texts.length);
    expect(getStrings(language).choose).toContain('{app}');
  });
});

test('a category is named in the language of the page, else in its first one', () => {
  expect(renderQuestion({ ...view, language: 'ja' }, { hasPreferences: false }).html).toContain(
    '<dd>&lt;Neues&gt;</dd>',
  );
});

const readLegends = (html: string) =>
  [...html.matchAll(/<legend>(.*?)<\/legend>/g)].map(([, text]) => text);

test('only categories of live optional events are shown, and other messages last', () => {
  const { html } = renderPreferences(view, { stored: {} });
  expect(readLegends(html)).toEqual(['&lt;Neues&gt;', 'Other messages']);
  expect(html).toContain('checked> SMS</label>');
});

test('without a category in use, the messages are not called other ones', () => {
  const facts = { ...view.facts, switches: [{ category: null, channel: 'sms' }] };
  const { html } = renderPreferences({ ...view, facts }, { stored: {} });
  expect(readLegends(html)).toEqual(['All optional messages']);
});

test.each(['#000000', '#ffffff', '#1d4ed8', '#00ff88', '#777777', '#767676', '#808080'])(
  'text on %s has a contrast of at least 4.5',
  (color) => {
    const channel = (at: number) => {
      const value = Number.parseInt(color.slice(at, at + 2), 16) / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    };
    const luminance = 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
    const text = chooseTextColor(color) === '#fff' ? 1 : 0;
    const [light, dark] = [Math.max(text, luminance), Math.min(text, luminance)];
    expect((light + 0.05) / (dark + 0.05)).toBeGreaterThanOrEqual(4.5);
  },
);
