import { toRuleBody, toRuleValues } from './rule-values';

test('a rule that notifies nobody has no fallback, whose fields are hidden then', () => {
  const values = toRuleValues(undefined);
  const fallback = { integrationId: 'b', to: 'b@example.com' };
  expect(toRuleBody({ ...values, fallback })).toMatchObject({ sendBy: null, fallback: null });
  const sendBy = { integrationId: 'a', to: 'a@example.com' };
  expect(toRuleBody({ ...values, sendBy, fallback }).fallback?.integrationId).toBe('b');
});
