import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { eventually } from '@belfry/testing';

const root = path.resolve(__dirname, '..', '..', '..');

test('npm run simulators prints how to start Belfry with them, and ends on Ctrl-C', async () => {
  const child = spawn(process.execPath, ['scripts/simulators.mjs'], { cwd: root });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += String(chunk);
    });
  }
  try {
    await eventually(() => expect(output).toContain('Ready.'), { timeoutMs: 60_000 });
    const url = /TELEGRAM_API_URL=(\S+)/.exec(output)?.[1];
    const answer = await fetch(`${url}/bot123456789:${'s'.repeat(35)}/getMe`);
    expect(await answer.json()).toMatchObject({ ok: true });
    expect(output).toMatch(/sms by twilio: \{"settings":\{"sender"/);
  } finally {
    child.kill('SIGINT');
    await once(child, 'exit');
  }
  expect(child.exitCode).toBe(130);
}, 90_000);
