import { getNumber, getText, toFields, toFieldsList, toStrings } from './content';

describe('the content of a preview', () => {
  test.each([[null], [undefined], ['text'], [[1]], [7]])('handles %p', (content) => {
    expect(toFields(content)).toEqual({});
    expect(toFieldsList(toFields(content)['blocks'])).toEqual([]);
    expect(toStrings(content)).toEqual([]);
  });

  test('is read by its field names', () => {
    const fields = toFields({ title: '', body: 'Hello', bytes: 7, cc: ['a', 1] });
    expect([getText(fields, 'title', 'body'), getText(fields, 'other')]).toEqual(['Hello', '']);
    expect([getNumber(fields, 'bytes'), getNumber(fields, 'body')]).toEqual([7, undefined]);
    expect(toStrings(fields['cc'])).toEqual(['a']);
  });
});
