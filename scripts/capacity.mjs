// npm run capacity: computes machines and sizes from the costs that `npm run bench -- --only scale` measured.
//   npm run capacity -- --messages-per-day 1000000   required; a message is one recipient on one channel
//   --peak 5                                         the busiest second, relative to the average; 1 to 1,000
//   --retention-days 30                              RETENTION_DAYS of the workers
// For example: npm run capacity -- --messages-per-day 5000000 --peak 8 --retention-days 14
// It exits with 0, or with 1 if an option is missing or wrong. It reads bench/results/scale.json and changes nothing.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './commands.mjs';
import { readNumber, runLong } from './long-run.mjs';
import { StepError } from './steps.mjs';
import { ensureBuilt } from './workspace.mjs';

runLong(main);

async function main() {
  const demand = readDemand();
  await ensureBuilt();
  const { completeDemand, formatCapacity } = await import('../packages/testing/dist/index.js');
  const record = JSON.parse(readFileSync(path.join(root, 'bench/results/scale.json'), 'utf8'));
  console.log(formatCapacity(record, completeDemand(demand)));
}

function readDemand() {
  const { values } = parseArgs({
    options: {
      'messages-per-day': { type: 'string' },
      peak: { type: 'string' },
      'retention-days': { type: 'string' },
    },
  });
  const { 'messages-per-day': messages, peak, 'retention-days': days } = values;
  if (messages === undefined) {
    throw new StepError('--messages-per-day is missing, for example --messages-per-day 1000000');
  }
  return {
    messagesPerDay: readNumber('--messages-per-day', messages, { max: 100_000_000_000 }),
    peakFactor: peak === undefined ? undefined : readNumber('--peak', peak, { max: 1_000 }),
    // The limits of RETENTION_DAYS.
    retentionDays:
      days === undefined ? undefined : readNumber('--retention-days', days, { min: 2, max: 3_650 }),
  };
}
