import { type Decision, decide, type OpenIncident } from './decide';

const start = Date.UTC(2026, 0, 1);
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const at = (ms: number) => new Date(start + ms);

type Step = { ms: number; isTrue: boolean };

/** A rule whose condition is true or false at each time; returns when somebody is notified. */
function run(
  isTrue: (ms: number) => boolean,
  { untilMs, stepMs = minuteMs }: { untilMs: number; stepMs?: number },
): string[] {
  const rule = createRule();
  for (let ms = 0; ms <= untilMs; ms += stepMs) rule.step({ ms, isTrue: isTrue(ms) });
  return rule.notices;
}

/** Stores what each decision says. */
function createRule() {
  let incident: OpenIncident | undefined;
  const opened: number[] = [];
  const notices: string[] = [];

  function record(kind: string, ms: number, isNotified: boolean) {
    if (isNotified) notices.push(`${kind} ${ms / minuteMs}`);
  }

  function apply(decision: Decision, ms: number) {
    switch (decision.act) {
      case 'open':
        opened.push(ms);
        incident = { id: 'i', reminders: 0, clearSince: null, ...decision };
        return record('fired', ms, !decision.isQuiet);
      case 'update':
        incident = incident && { ...incident, ...decision };
        return record('reminder', ms, decision.isReminder);
      case 'resolve':
        incident = undefined;
        return record('resolved', ms, decision.isNotified);
      case 'nothing':
    }
  }

  return {
    notices,
    step({ ms, isTrue }: Step) {
      const recentIncidents = opened.filter((each) => each > ms - hourMs).length;
      apply(decide({ incident, isTrue, recentIncidents }, at(ms)), ms);
    },
  };
}

test('an alert reminds after 1 h, 4 h and then daily, and is resolved once', () => {
  const endsMs = 60 * hourMs;
  expect(run((ms) => ms < endsMs, { untilMs: 70 * hourMs })).toEqual([
    'fired 0',
    'reminder 60',
    `reminder ${5 * 60}`,
    `reminder ${29 * 60}`,
    `reminder ${53 * 60}`,
    `resolved ${60 * 60 + 2}`,
  ]);
});

test('a condition that is false for less than 2 minutes does not resolve the alert', () => {
  const isTrue = (ms: number) => ms % (3 * minuteMs) < 2 * minuteMs;
  const notices = run(isTrue, { untilMs: 30 * minuteMs, stepMs: minuteMs / 2 });
  expect(notices).toEqual(['fired 0']);
});

test('a rule that fires again and again notifies of three incidents in an hour', () => {
  const isTrue = (ms: number) => ms % (10 * minuteMs) < 5 * minuteMs;
  const fired = run(isTrue, { untilMs: 59 * minuteMs }).filter((each) => each.startsWith('fired'));
  expect(fired).toEqual(['fired 0', 'fired 10', 'fired 20']);
});

test('nothing happens while the condition is false', () => {
  expect(run(() => false, { untilMs: hourMs })).toEqual([]);
});
