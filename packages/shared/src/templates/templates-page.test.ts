import { readFileSync } from 'node:fs';
import path from 'node:path';
import { escapeNothing } from './escapes';
import { helperNames } from './nodes';
import { parseTemplate } from './parse';
import { renderTemplate } from './render';

const page = readFileSync(path.join(__dirname, '../../../../docs/reference/templates.md'), 'utf8');

/** The rows with three cells of code. */
const rows = page.split('\n').flatMap((line) => {
  const cells = /^\| +`(.+)` +\| +`(.+)` +\| +`(.+)` +\|$/.exec(line)?.slice(1);
  return cells ? [cells.map((cell) => cell.replaceAll('\\|', '|'))] : [];
});

describe('docs/reference/templates.md', () => {
  test.each(rows)('the result of %s with %s is correct', (template, data, result) => {
    const rendered = renderTemplate(parseTemplate(template!), JSON.parse(data!), {
      escape: escapeNothing,
    });
    expect(rendered).toMatchObject({ text: result });
  });

  test('has an example of every helper', () => {
    const templates = rows.map(([template]) => template).join('\n');
    for (const name of helperNames) expect(templates).toMatch(new RegExp(`[{(]${name} `));
  });
});
