import { listFilterTerms } from './filter-terms';

test('a filter is described by its terms, times last', () => {
  const words = listFilterTerms({ to: '1764331445000', state: 'failed', requestId: 'r' });
  expect(words.map(({ name }) => name)).toEqual(['state', 'request', 'to']);
  expect(words[0]).toEqual({ name: 'state', value: 'failed' });
  expect(words[2]?.value).toMatch(/^28 Nov 2025 \d\d:\d\d:\d\d UTC/);
});
