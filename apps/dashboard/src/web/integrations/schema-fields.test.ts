import { checkField, getAt, getDefaults, listSchemaFields, setAt } from './schema-fields';

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
    ]);
    expect(getDefaults(fields)).toEqual({ port: 587 });
  });

  test('require the inner fields of an object only if the object is required', () => {
    expect(getField('from.address').isRequired).toBe(true);
    const optional = listSchemaFields({ ...schema, required: ['host'] });
    expect(optional.find(({ path }) => path === 'from.address')?.isRequired).toBe(false);
  });

  test.each([
    ['host', '', 'This field is required.'],
    ['host', 'mail.example.com', undefined],
    ['port', 70_000, 'Enter a number up to 65535.'],
    ['port', 2.5, 'Enter a whole number.'],
    ['port', 'x', undefined],
    ['from.name', '', undefined],
  ])('check %s = %p: %p', (path, value, problem) => {
    expect(checkField(getField(path), value)).toBe(problem);
  });

  test('set and remove values without leaving empty objects', () => {
    const set = setAt({ host: 'a' }, 'from.address', 'x@example.com');
    expect(set).toEqual({ host: 'a', from: { address: 'x@example.com' } });
    expect(getAt(set, 'from.address')).toBe('x@example.com');
    expect(setAt(set, 'from.address', undefined)).toEqual({ host: 'a' });
  });
});
