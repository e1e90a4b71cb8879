import type { RegistryAnswer } from '../../api/registry';
import { describeProblem, getFieldLabel } from './field-labels';

const template = {
  type: 'object',
  properties: {
    subject: { type: 'string', title: 'Subject' },
    from: { type: 'object', properties: { address: { type: 'string' } } },
    buttons: { type: 'array', title: 'Buttons' },
  },
};
// The label needs only the schemas.
const registry = { channels: [{ channel: 'email', template }] } as unknown as RegistryAnswer;

describe('the label of a template field', () => {
  test.each([
    ['subject', 'Subject'],
    ['from.address', 'From address'],
    ['buttons[1].display_text', 'Buttons, number 2, display text'],
    ['buttons.0', 'Buttons, number 1'],
    ['reply_to', 'Reply to'],
  ])('of %s is %s', (path, label) => {
    expect(getFieldLabel(registry, 'email', path)).toBe(label);
  });

  test('begins a sentence about its problem', () => {
    const describe = (field: string, problem: string) =>
      describeProblem(registry, 'email', { severity: 'error', field, problem });
    expect(describe('from.address', 'is missing')).toBe('From address is missing.');
    expect(describe('subject', 'This tag is never closed.')).toBe(
      'Subject: This tag is never closed.',
    );
  });

  test('needs no schema', () => {
    expect(getFieldLabel(registry, 'toy', 'from.name')).toBe('From name');
  });
});
