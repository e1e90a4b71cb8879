import { readFileSync } from 'node:fs';
import path from 'node:path';
import { repositoryRoot } from '../test-stores';
import { buildCapacityTable, completeDemand, formatCapacity } from './capacity-text';
import { ownTables } from './record-tables';
import type { ScaleRecord } from './run-bench';

const record: ScaleRecord = JSON.parse(read('bench/results/scale.json'));

function read(file: string): string {
  return readFileSync(path.join(repositoryRoot, file), 'utf8');
}

/** Without the spaces and dashes that align the columns. */
function simplify(markdown: string): string {
  return markdown.replaceAll(/ +/g, ' ').replaceAll(/-{3,}/g, '---');
}

test('docs/how-to/scale.md has the capacity that the measured costs give', () => {
  expect(simplify(read('docs/how-to/scale.md'))).toContain(simplify(buildCapacityTable(record)));
});

test.each(Object.entries<(record: never) => string>(ownTables))(
  'docs/explanation/performance.md has the tables of the record %s.json',
  (name, buildTables) => {
    const tables = buildTables(JSON.parse(read(`bench/results/${name}.json`)) as never);
    expect(simplify(read('docs/explanation/performance.md'))).toContain(simplify(tables));
    expect(tables).not.toMatch(/NaN|undefined|Infinity/);
  },
);

test('npm run capacity prints sizes, the most that a primary carries, and its assumptions', () => {
  const text = formatCapacity(
    record,
    completeDemand({ messagesPerDay: 10_000_000_000, peakFactor: 2, retentionDays: 7 }),
  );
  expect(text).toMatch(/^10,000,000,000 messages per day\n +installations +\d+, each with /);
  expect(text).toMatch(/One primary carries [\d,]+ messages per day; the limit is /);
  expect(text).toContain('2 times the average');
  expect(text).toContain('kept for 7 days');
  expect(text).toContain(`commit ${record.commit}`);
  expect(text).not.toMatch(/NaN|undefined|Infinity/);
});
