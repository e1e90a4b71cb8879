import { hasPath } from './has-path';
import { parseTemplate } from './parse';

const data = {
  user_name: 'Ana',
  nothing: null,
  order: { id: 7, 'first name': 'Ana', 'a]b': 1, items: [{ name: 'a' }, { name: 'b', qty: 2 }] },
  tags: ['x'],
  none: [],
  prices: { a: { net: 1 }, b: { net: 2 } },
  thisWeek: 1,
};

describe('a path that a template reads', () => {
  test.each([
    ['{{user_name}}', true],
    ['{{user_nam}}', false],
    ['{{order.id}}', true],
    ['{{order.id.deeper}}', false],
    ['{{order.[first name]}}', true],
    ['{{order.[a\\]b]}}', true],
    ['{{nothing}}', true],
    ['{{nothing.more}}', false],
    ['{{#each order.items}}{{name}}{{/each}}', true],
    ['{{#each order.items}}{{qty}}{{/each}}', false],
    ['{{#each order.lines}}{{qty}}{{/each}}', false],
    ['{{#each none}}{{qty}}{{/each}}', true],
    ['{{#each tags}}{{this}}{{/each}}', true],
    ['{{#each prices}}{{net}}{{/each}}', true],
    ['{{#each prices}}{{gross}}{{/each}}', false],
    ['{{json this}}', true],
    ['{{thisWeek}}', true],
    ['{{order.items.0.name}}', true],
    ['{{toString}}', false],
    ['{{order.items.length}}', true],
  ])('%s exists in the data: %s', (template, isCarried) => {
    const { paths } = parseTemplate(template);
    expect(paths.every((path) => hasPath(data, path))).toBe(isCarried);
  });

  test('a missing list is reported once: by its own path', () => {
    expect(hasPath({}, 'items')).toBe(false);
    expect(hasPath({}, 'items[].name')).toBe(true);
  });
});
