import { readEnv } from '@belfry/runtime';
import { doctorCommand } from './doctor';
import type { Finding } from './doctor-check';

const env = readEnv('cli', { DATABASE_URL: 'postgresql://nowhere/belfry' });

/** Runs one check for each outcome: a state, or an error that the check throws. */
async function run(checks: (Finding['state'] | Error)[]) {
  const lines: string[] = [];
  let closed = 0;
  const command = doctorCommand({
    openChecks: () => ({
      checks: checks.map((outcome) => ({
        name: 'store',
        async examine() {
          if (outcome instanceof Error) throw outcome;
          return [{ name: 'store', state: outcome, detail: 'x' }];
        },
      })),
      close: async () => void closed++,
    }),
  });
  const out = (line: string) => lines.push(line);
  const code = await command.run({ env, args: [], out, err: out });
  return { code, last: lines.at(-1), closed };
}

const runs: [code: number, last: string, checks: (Finding['state'] | Error)[]][] = [
  [0, 'No problems found.', ['ok', 'ok']],
  [0, '2 warnings', ['warning', 'ok', 'warning']],
  [1, '1 failure, 1 warning', ['failed', 'warning']],
  [1, '1 failure', ['ok', new Error('connection refused')]],
];

test.each(runs)('belfry doctor exits %d after "%s"', async (code, last, checks) => {
  expect(await run(checks)).toEqual({ code, last, closed: 1 });
});
