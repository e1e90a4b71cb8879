import type * as App from '@belfry/channels';
import type * as Shared from '@belfry/shared';
import { type StepCounter, startStepCounter } from '@belfry/testing';
import { Type } from '@sinclair/typebox';

let steps: StepCounter;
let shared: typeof Shared;
let channels: typeof App.channels;

// Load the modules after the counter starts. It does not count code loaded earlier.
beforeAll(() => {
  jest.resetModules();
  steps = startStepCounter();
  shared = jest.requireActual<typeof Shared>('@belfry/shared');
  channels = jest.requireActual<typeof App>('@belfry/channels').channels;
});
afterAll(() => steps.stop());

const pieces = [
  'a',
  ' ',
  '0',
  '"',
  '\\',
  '"\\',
  '[',
  '{"a":',
  '{"a":1},',
  '[],',
  '1,',
  '"a",',
  '.',
  '*',
  '\ud800',
  'é',
];
const texts = pieces.map((piece) => ({
  name: piece,
  repeat: (times: number) => `${piece.repeat(times)}!`,
}));

describe('the work grows linearly with the body size', () => {
  test.each([
    ['unchanged', (text: string) => text],
    ['in a list', (text: string) => `[${text}1]`],
    ['as a string', (text: string) => JSON.stringify({ data: text })],
    ['as a key', (text: string) => JSON.stringify({ [text]: 1 })],
  ])('when parsing: %s', (_title, createBody) => {
    const read = (text: string) => shared.parseJson(Buffer.from(createBody(text)));
    expect(steps.findSuperlinear(read, texts)).toEqual([]);
  });

  test.each<[string, (text: string) => object]>([
    ['user_id', (text) => ({ user: { user_id: text } })],
    ['email', (text) => ({ user: { email: text } })],
    ['slack', (text) => ({ user: { slack: { channel_id: text, email: text } } })],
    ['event', (text) => ({ event: text })],
    ['schedule_at', (text) => ({ schedule_at: text })],
    ['data', (text) => ({ data: { [text]: [text] } })],
    [
      'override',
      (text) => ({
        override: { email: { message: { subject: text } }, providers: { [text]: text } },
      }),
    ],
  ])('when the schema of a send validates %s', (_field, createBody) => {
    const validate = shared.createValidator(shared.createSendEventBody(channels));
    const read = (text: string) => validate({ event: 'a', ...createBody(text) });
    expect(steps.findSuperlinear(read, texts)).toEqual([]);
  });

  test('when a text is too long, because its pattern is not tested', () => {
    const slow = Type.String({ maxLength: 60, pattern: '^[a-z]*[a-z][a-z]*$' });
    const validate = shared.createValidator(Type.Object({ a: slow }));
    expect(steps.findSuperlinear((text) => validate({ a: text }), texts)).toEqual([]);
  });

  test.each<[string, (text: string) => unknown]>([
    ['an API key', (text) => shared.parseApiKey(text)],
    ['a user id', (text) => shared.isUserId(text)],
    ['a template', (text) => shared.parseTemplate(text)],
  ])('when parsing %s', (_title, read) => {
    expect(steps.findSuperlinear(read, texts)).toEqual([]);
  });
});
