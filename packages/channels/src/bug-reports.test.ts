import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bugReports } from './bug-reports.fixture';

const packages = join(__dirname, '../..');

test.each(bugReports)('$reports is covered by a test in $file', ({ file, test, row }) => {
  const source = readFileSync(join(packages, file), 'utf8');
  expect(source).toContain(test);
  if (row !== undefined) expect(source).toContain(row);
});

test('every report has a reference that can be looked up', () => {
  const names = bugReports.flatMap(({ reports }) => reports.split(' '));
  for (const name of names)
    expect(name).toMatch(/^([\w.-]+\/[\w.-]+#\d+|#\d+|GHSA-[\w-]+|Twilio|21266)$/);
});
