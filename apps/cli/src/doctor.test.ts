import { readEnv } from '@belfry/runtime';
import { doctorCommand } from './doctor';
import type { Finding } from './doctor-check';

const env = readEnv('cli', { DATABASE_URL: 'postgresql://nowhere/belfry' });

/** A run of checks that find these states, or fail with these errors. */
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
  [0, 'All is well.', ['ok', 'ok']],
  [0, '0 failed, 2 to look at.', ['warning', 'ok', 'warning']],
  [1, '1 failed, 1 to look at.', ['failed', 'warning']],
  [1, '1 failed, 0 to look at.', ['ok', new Error('connection refused')]],
];

test.each(runs)('belfry doctor exits %d after "%s"', async (code, last, checks) => {
  expect(await run(checks)).toEqual({ code, last, closed: 1 });
});
