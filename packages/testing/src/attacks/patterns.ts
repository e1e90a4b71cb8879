import assert from 'node:assert/strict';
import { type Attack, holdPolicy, readCpuMs, type Target } from './target';

/** The attacks took 9 s and 1.3 s. A refusal by length or tags takes no time. */
const maxCpuMs = 500;

export const patternAttacks: Attack[] = [
  {
    kind: 'S7',
    title: 'the dashboard checks a template of 60,000 open tags at once',
    run: (target) =>
      withinCpu(target, async () => {
        const { viewer, local } = target;
        const at = `/api/apps/${local.ready.app_id}/events`;
        const [event] = (await viewer.sendOk('GET', at)).events;
        const template = { text: '<b>'.repeat(20_000) };
        const templates = { en: template, de: template, fr: template };
        const version = { integrationIds: [], policy: holdPolicy, templates };
        const answer = await viewer.sendOk('POST', `${at}/${event.id}/check`, {
          definition: {
            defaultLocale: 'en',
            missing: 'empty',
            isSensitive: false,
            channels: { telegram: version },
          },
        });
        const errors = answer.problems.filter(
          ({ severity }: { severity: string }) => severity === 'error',
        );
        assert.equal(errors.length, 3, JSON.stringify(answer).slice(0, 500));
      }),
  },
  ...['/api/apps', '/api/apps/:app/filters'].map((path) => ({
    kind: 'S7',
    title: `a name of 40,000 characters and a line break is refused at once by ${path}`,
    run: (target: Target) =>
      withinCpu(target, async () => {
        const at = path.replace(':app', target.local.ready.app_id);
        const name = `${'a'.repeat(40_000)}\n`;
        const answer = await target.editor.send('POST', at, { name, filter: {}, filters: {} });
        assert.equal(answer.status, 422, answer.text);
        assert.match(answer.text, /name/);
      }),
  })),
];

async function withinCpu({ local }: Target, attack: () => Promise<void>): Promise<void> {
  const pid = local.findPid('dashboard');
  const before = readCpuMs(pid);
  await attack();
  const usedMs = readCpuMs(pid) - before;
  assert.ok(usedMs < maxCpuMs, `The dashboard used ${usedMs} ms of processor time`);
}
