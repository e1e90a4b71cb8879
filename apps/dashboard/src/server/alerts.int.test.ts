import { newId } from '@belfry/runtime';
import { createSlackSimulator, type SlackSimulator } from '@belfry/testing';
import { slackBot } from './change-calls.fixture';
import { createStoredDashboard, type StoredDashboard } from './stored-dashboard.fixture';

let slack: SlackSimulator;
let dashboard: StoredDashboard;

beforeAll(async () => {
  slack = await createSlackSimulator();
  dashboard = await createStoredDashboard({ SLACK_API_URL: slack.url });
});
afterAll(async () => {
  await dashboard.close();
  await slack.close();
});

async function begin() {
  const who = await dashboard.createNeighbour();
  const app = `apps/${who.tenant.appId}`;
  const { body } = await who.call('post', `${app}/integrations`, slackBot());
  const sendBy = { integrationId: body.id as string, to: ['C0123456789'] };
  return { ...who, at: `${app}/alerts`, sendBy };
}

const rate = { kind: 'failure_rate', params: { percent: 5, minutes: 10, messages: 50 } };

test('a rule is created, changed, disabled, enabled and removed', async () => {
  const { at, call, sendBy } = await begin();
  const created = await call('post', at, { ...rate, channel: 'email', sendBy });
  expect(created.body).toMatchObject({
    max: 20,
    rules: [
      {
        ...{ kind: 'failure_rate', isEnabled: true, firingSince: null, sendBy, fallback: null },
        phrase: 'Failure rate over 5 % in 10 min, with at least 50 messages: email',
      },
    ],
  });
  const [{ id, updatedAt }] = created.body.rules;
  const changed = await call('put', `${at}/${id}`, {
    ...{ kind: 'circuit_open', params: {}, updatedAt },
  });
  expect(changed.body.rules).toMatchObject([{ phrase: 'Circuit open', sendBy: null }]);
  expect((await call('post', `${at}/${id}/disable`)).body.rules[0].isEnabled).toBe(false);
  expect((await call('post', `${at}/${id}/enable`)).body.rules[0].isEnabled).toBe(true);
  expect((await call('post', `${at}/${id}/test`)).body.code).toBe('wrong_state');
  expect((await call('get', `${at}/history`)).body).toEqual({ incidents: [] });
  expect((await call('delete', `${at}/${id}`)).body.rules).toEqual([]);
  expect((await call('delete', `${at}/${id}`)).status).toBe(404);
  expect((await call('put', `${at}/${id}`, { ...rate, updatedAt })).status).toBe(404);
});

test('a save does not overwrite what another operator saved meanwhile', async () => {
  const { at, call, sendBy } = await begin();
  const [{ id, updatedAt }] = (await call('post', at, rate)).body.rules;
  const saved = await call('put', `${at}/${id}`, { ...rate, sendBy, updatedAt });
  const late = await call('put', `${at}/${id}`, { ...rate, updatedAt });
  expect([late.status, late.body.code]).toEqual([409, 'draft_changed']);
  expect((await call('get', at)).body.rules).toEqual(saved.body.rules);
});

test('a test is sent by the integration of the rule', async () => {
  const { at, call, sendBy } = await begin();
  const { body } = await call('post', at, { ...rate, sendBy });
  const tested = await call('post', `${at}/${body.rules[0].id}/test`);
  expect(tested.body).toEqual({ isSent: true, detail: 'The provider accepted it.' });
  const text = slack.sends.at(-1)?.text;
  expect(text).toContain('Test of an alert: Failure rate, Test app');
});

test('the audit log names a rule by its kind', async () => {
  const { at, call } = await begin();
  const [{ id }] = (await call('post', at, rate)).body.rules;
  const { entries, names } = (await call('get', 'audit')).body;
  expect(entries[0]).toMatchObject({ action: 'alert.created', subject: id });
  expect(names[id]).toMatchObject({ name: 'failure_rate', isRemoved: false });
});

test('a wrong rule is refused with each wrong field, and changes nothing', async () => {
  const { at, call, sendBy } = await begin();
  const other = await begin();
  const refuse = async (body: object, paths: string[]) => {
    const answer = await call('post', at, body);
    expect(answer.status).toBe(422);
    expect(answer.body.fields.map(({ path }: { path: string }) => path)).toEqual(paths);
  };
  await refuse({ kind: 'failure_rate', params: { percent: 100, minutes: 1.5, more: 1 } }, [
    ...['params.more', 'params.percent', 'params.minutes', 'params.messages'],
  ]);
  await refuse({ ...rate, channel: 'fax' }, ['channel']);
  await refuse({ kind: 'circuit_open', params: {}, integrationId: newId() }, ['integrationId']);
  await refuse({ ...rate, sendBy: other.sendBy }, ['sendBy.integrationId']);
  await refuse({ ...rate, sendBy: { ...sendBy, to: ['#general'] } }, ['sendBy.to']);
  await refuse({ ...rate, sendBy: { ...sendBy, to: ['C0123456789', 'C0123456780'] } }, [
    'sendBy.to',
  ]);
  await refuse({ ...rate, sendBy, fallback: sendBy }, ['fallback.integrationId']);
  expect((await call('get', at)).body.rules).toEqual([]);
});

test('an app has at most 20 rules, also when they are created at once', async () => {
  const { at, call } = await begin();
  for (let index = 0; index < 16; index += 1) await call('post', at, rate);
  // More calls at once wait too long for a connection.
  const calls = Array.from({ length: 6 }, () => call('post', at, rate));
  const statuses = (await Promise.all(calls)).map(({ status }) => status);
  expect(statuses.sort()).toEqual([200, 200, 200, 200, 409, 409]);
});
