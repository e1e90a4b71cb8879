import { type TSchema, Type } from '@sinclair/typebox';
import fc from 'fast-check';
import { AppError } from '../errors';
import { newDeviceBody } from './device';
import { createSendEventBody } from './send-event';
import { createUserBody } from './user';
import { createValidator } from './validate';

const numRuns = process.env['TEST_FULL'] ? 20_000 : 2_000;

const text = Type.Optional(Type.String({ maxLength: 3, pattern: '^[a-z]*$' }));
const file = Type.Object({ file_name: Type.String() });
const send = createSendEventBody({
  email: {
    override: Type.Object({
      message: Type.Optional(Type.Object({ subject: text })),
      attachments: Type.Optional(Type.Union([Type.Array(file, { maxItems: 2 }), file])),
    }),
    recipient: {},
  },
});
const schemas: Record<string, TSchema> = {
  send,
  user: createUserBody({}),
  device: newDeviceBody,
};

const names = [
  ...['event', 'data', 'user', 'override', 'email', 'mobile', 'slack', 'channel_id', 'message'],
  ...['subject', 'attachments', 'file_name', 'providers', 'payload', 'preferences', 'disabled'],
  ...[
    'metadata',
    'cancel_key',
    'channel_preferences',
    'schedule_at',
    'locale',
    'fcm_tokens',
    'fcm_topic',
    'user_id',
    'x',
  ],
];
const leaf = fc.oneof(
  fc.constantFrom<unknown>('', 'a', ' ', '..', 'soon', 'x'.repeat(600), 1, -1, 1e13, true),
);
const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    leaf,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 6 }),
  ),
})).value;

test.each(Object.keys(schemas))(
  'the first problem of an invalid %s is in its list of problems',
  (name) => {
    const validate = createValidator(schemas[name]!);
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), value), (body) => {
        try {
          validate(body);
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
          const sentences = error.problems.map(({ path, problem }) => `${path} ${problem}`);
          expect(sentences).toContain(error.message);
          expect(new Set(sentences).size).toBe(sentences.length);
        }
      }),
      { numRuns },
    );
  },
);

test('fixing one problem removes one entry from the list', () => {
  const validate = createValidator(send);
  const listProblemPaths = (body: object) => {
    try {
      validate(body);
      return [];
    } catch (error) {
      return error instanceof AppError ? error.problems.map(({ path }) => path) : undefined;
    }
  };
  const invalidBody = { event: 5, locale: 7, schedule_at: 'soon', user: [], data: 1, override: '' };
  const validBody = { event: 'e', locale: 'de', schedule_at: 0, user: {}, data: {}, override: {} };
  fc.assert(
    fc.property(fc.subarray(Object.keys(invalidBody)), (fields) => {
      const invalidFields = Object.entries(invalidBody).filter(([name]) => fields.includes(name));
      expect(listProblemPaths({ ...validBody, ...Object.fromEntries(invalidFields) })).toEqual(
        Object.keys(validBody).filter((name) => fields.includes(name)),
      );
    }),
  );
});
