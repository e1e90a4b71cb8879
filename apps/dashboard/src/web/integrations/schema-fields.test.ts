import {
  checkField,
  fromRaw,
  fromRaws,
  getAt,
  getDefaults,
  invalidJson,
  listSchemaFields,
  setAt,
  toRaw,
  toRaws,
} from './schema-fields';

const schema = {
  type: 'object',
  required: ['host', 'from'],
  properties: {
    host: { type: 'string', title: 'Host', minLength: 1 },
    port: { type: 'integer', minimum: 1, maximum: 65_535, default: 587 },
    from: {
      type: 'object',
      required: ['address'],
      properties: { name: { type: 'string' }, address: { type: 'string', maxLength: 254 } },
    },
    key: { type: 'string', maxLength: 5_000 },
    kind: { anyOf: [{ const: 'url' }, { const: 'text' }] },
    copies: { type: 'array', items: { type: 'string' } },
    secure: { type: 'boolean', default: true },
    data: { type: 'object' },
    sid: { type: 'string', title: 'Account SID', description: 'AC…', pattern: '^AC' },
  },
};
const fields = listSchemaFields(schema);
const getField = (path: string) => fields.find((field) => field.path === path)!;

describe('the fields of a form', () => {
  test('are the leaves of the schema in order, each with a suitable control', () => {
    expect(fields.map(({ path, kind }) => `${path} ${kind}`)).toEqual([
      'host text',
      'port number',
      'from.name text',
      'from.address text',
      'key long',
      'kind choice',
      'copies lines',
      'secure switch',
      'data json',
      'sid text',
    ]);
    expect(getDefaults(fields)).toEqual({ port: 587, secure: true });
  });

  test('require the inner fields of an object only if the object is required', () => {
    expect(getField('from.address').isRequired).toBe(true);
    const optional = listSchemaFields({ ...schema, required: ['host'] });
    expect(optional.find(({ path }) => path === 'from.address')?.isRequired).toBe(false);
  });

  test.each([
    ['host', '', 'Enter the host.'],
    ['host', 'mail.example.com', undefined],
    ['port', '70000', 'Port must be at most 65,535.'],
    ['port', '0', 'Port must be at least 1.'],
    ['port', '2.5', 'Port must be a whole number.'],
    ['port', 'x', 'Port must be a number.'],
    ['from.name', '', undefined],
    ['from.address', 'a'.repeat(255), 'From address must have at most 254 characters (255 now).'],
    ['data', '{"a": ', 'Data must be valid JSON.'],
    ['data', '{"a": 1}', undefined],
    ['sid', 'SK1', 'Account SID does not look right. AC…'],
    ['copies', 'a\n', undefined],
  ])('check %s = %j and name it: %s', (path, raw, problem) => {
    expect(checkField(getField(path), raw)).toBe(problem);
  });

  test.each([
    ['host', 'a', 'a'],
    ['port', 25, '25'],
    ['copies', ['a', 'b'], 'a\nb'],
    ['data', { a: 1 }, '{\n  "a": 1\n}'],
    ['secure', true, true],
    ['host', undefined, ''],
  ])('keep %s = %j from value to input and back', (path, value, raw) => {
    expect(toRaw(getField(path), value)).toBe(raw);
    expect(fromRaw(getField(path), raw)).toEqual(value);
  });

  test('show the default of an absent switch, because the server uses it', () => {
    expect(toRaw(getField('secure'), undefined)).toBe(true);
    expect(toRaw(getField('secure'), false)).toBe(false);
  });

  test('tell invalid JSON from every value', () => {
    expect(fromRaw(getField('data'), '{')).toBe(invalidJson);
  });

  test('have an input for every field, and no value for an empty one', () => {
    const raws = toRaws(fields, { host: 'a' });
    expect(getAt(raws, 'from.address')).toBe('');
    expect(fromRaws(fields, raws)).toEqual({ host: 'a', secure: true });
  });

  test('set and remove values without leaving empty objects', () => {
    const set = setAt({ host: 'a' }, 'from.address', 'x@example.com');
    expect(set).toEqual({ host: 'a', from: { address: 'x@example.com' } });
    expect(getAt(set, 'from.address')).toBe('x@example.com');
    expect(setAt(set, 'from.address', undefined)).toEqual({ host: 'a' });
  });
});
