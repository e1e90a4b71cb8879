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
  test('are the leaves of the schema, in order, each with the control that suits it', () => {
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

  test('ask for the inner fields of an object only where the object itself is needed', () => {
    expect(getField('from.address').isRequired).toBe(true);
    const optional = listSchemaFields({ ...schema, required: ['host'] });
    expect(optional.find(({ path }) => path === 'from.address')?.isRequired).toBe(false);
  });

  test.each([
    ['host', '', 'This is needed.'],
    ['host', 'mail.example.com', undefined],
    ['port', 70_000, '65535 or less.'],
    ['port', 2.5, 'A whole number.'],
    ['port', 'x', undefined],
    ['from.name', '', undefined],
  ])('say of %s = %p: %p', (path, value, problem) => {
    expect(checkField(getField(path), value)).toBe(problem);
  });

  test('set and take away values without leaving empty objects behind', () => {
    const set = setAt({ host: 'a' }, 'from.address', 'x@example.com');
    expect(set).toEqual({ host: 'a', from: { address: 'x@example.com' } });
    expect(getAt(set, 'from.address')).toBe('x@example.com');
    expect(setAt(set, 'from.address', undefined)).toEqual({ host: 'a' });
  });
});
