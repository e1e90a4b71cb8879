import { capturedMessageAnswer, capturedMessageToWire } from './captured-message';
import { createValidator } from './validate';

const captured = {
  id: '0199b1f4-9a10-7d21-8f60-2b7c1d5e8a03',
  messageId: '0199b1f4-9a10-7d21-8f60-2b7c1d5e8a04',
  requestId: '0199b1f4-9a10-7d21-8f60-2b7c1d5e8a05',
  event: 'order_shipped',
  channel: 'email',
  target: 'ana@example.com',
  attempt: 1,
  outcome: 'accepted',
  content: {},
  data: { user_name: 'Ana' },
  provider: 'smtp',
  request: { operation: 'SMTP', body: {} },
  capturedAtMs: 1_767_225_600_000,
};

describe('a captured message on the wire', () => {
  test.each([
    [
      'an e-mail',
      { subject: 'Hi', text: 'Hello', html: '<p>Hello</p>' },
      ['Hi', 'Hello', '<p>Hello</p>'],
    ],
    ['a plain text', { text: 'Hello' }, [undefined, 'Hello', undefined]],
    ['a notification', { title: 'Hi', body: 'Hello' }, ['Hi', 'Hello', undefined]],
    ['an approved template', { name: 'order', preview: 'Hello' }, [undefined, 'Hello', undefined]],
    ['a sensitive event', '[sensitive]', [undefined, undefined, undefined]],
    ['content in an unknown shape', ['a', 1, null], [undefined, undefined, undefined]],
  ])('gives the texts of %s under common names', (_what, content, [subject, text, html]) => {
    const wire: Record<string, unknown> = { ...capturedMessageToWire({ ...captured, content }) };
    expect(wire['content']).toEqual(content);
    expect([wire['subject'], wire['text'], wire['html']]).toEqual([subject, text, html]);
  });

  test('matches its schema, even if its request was deleted', () => {
    const validate = createValidator(capturedMessageAnswer);
    const missingFields = { requestId: undefined, event: undefined, data: undefined };
    for (const one of [captured, { ...captured, ...missingFields }]) {
      const wire = JSON.parse(JSON.stringify(capturedMessageToWire(one)));
      expect(() => validate(wire)).not.toThrow();
    }
    expect(capturedMessageToWire({ ...captured, ...missingFields })).not.toHaveProperty(
      'request_id',
    );
  });
});
