import { readFileSync } from 'node:fs';
import path from 'node:path';
import { webhookTypes } from './webhook-events';

const page = readFileSync(path.join(__dirname, '../../../../docs/reference/webhooks.md'), 'utf8');

test('docs/reference/webhooks.md lists every event type with its meaning, and no other', () => {
  const rows = [...page.matchAll(/^\| `([a-z_.]+)` +\| (.+?) +\|$/gm)].map(([, type, means]) => ({
    type,
    means,
  }));
  const types = Object.entries(webhookTypes).map(([type, { means }]) => ({ type, means }));
  expect(rows).toEqual(types);
});
