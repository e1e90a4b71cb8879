import { findCompletions } from './completions';

const words = {
  paths: ['order.id', 'user_name'],
  helpers: ['date', 'upper'],
  data: { order: { id: '88213', items: [1] } },
};
const labels = (before: string) =>
  findCompletions(before, words)?.options.map(({ label }) => label);

describe('completion in a template', () => {
  test.each([
    ['no brace is open', 'Hello order'],
    ['the brace is closed', '{{order.id}} and'],
    ['a block is being closed', '{{/i'],
    ['it is a comment', '{{! ord'],
  ])('offers nothing when %s', (_, before) => {
    expect(findCompletions(before, words)).toBeUndefined();
  });

  test('offers values and helpers after the brace, and only values as an argument', () => {
    expect(labels('{{or')).toEqual([
      ...['order.id', 'order.items', 'user_name', 'unsubscribe_url', 'preferences_url'],
      ...['date', 'upper'],
    ]);
    expect(labels('{{date or')).toEqual([
      ...['order.id', 'order.items', 'user_name', 'unsubscribe_url', 'preferences_url'],
    ]);
    expect(findCompletions('{{date or', words)?.typed).toBe('or');
  });

  test('offers blocks after a hash', () => {
    expect(labels('{{#')).toEqual(['if', 'unless', 'each', 'with']);
  });

  test('offers the links that need no data', () => {
    const links = findCompletions('{{', words)?.options.filter(({ label }) =>
      label.endsWith('_url'),
    );
    expect(links?.map(({ detail }) => detail)).toEqual(['link from Belfry', 'link from Belfry']);
  });

  test('shows the sample value', () => {
    expect(findCompletions('{{', words)?.options[0]?.detail).toBe('string · 88213');
  });
});
