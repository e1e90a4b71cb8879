import { fieldsOf, listOf, numberOf, textOf, textsOf } from './content';

describe('the content of a preview', () => {
  test.each([[null], [undefined], ['text'], [[1]], [7]])('survives %p', (content) => {
    expect(fieldsOf(content)).toEqual({});
    expect(listOf(fieldsOf(content)['blocks'])).toEqual([]);
    expect(textsOf(content)).toEqual([]);
  });

  test('is read by the names that it has', () => {
    const fields = fieldsOf({ title: '', body: 'Hello', bytes: 7, cc: ['a', 1] });
    expect([textOf(fields, 'title', 'body'), textOf(fields, 'other')]).toEqual(['Hello', '']);
    expect([numberOf(fields, 'bytes'), numberOf(fields, 'body')]).toEqual([7, undefined]);
    expect(textsOf(fields['cc'])).toEqual(['a']);
  });
});
