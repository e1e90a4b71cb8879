import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse, stringify } from 'yaml';
import { listPrometheusQueries, readAlerts, readBoard } from './prometheus-queries.fixture';
import { repositoryRoot } from './test-stores';

/** From Debian's package `prometheus`. In CI its tests fail without it. */
const promtool = process.env['PROMTOOL_PATH'] ?? '/usr/bin/promtool';
const testPromtool = existsSync(promtool) || process.env['CI'] === 'true' ? test : test.skip;

const alerts = readAlerts();
const board = readBoard();
const guideFile = 'docs/how-to/watch-with-prometheus.md';
const guide = readFileSync(path.join(repositoryRoot, guideFile), 'utf8');

describe('deploy/prometheus/alerts.yml', () => {
  testPromtool('fires, or does not, as alerts.test.yml says', () => {
    const tests = path.join(repositoryRoot, 'deploy/prometheus/alerts.test.yml');
    const { status, stdout, stderr } = spawnSync(promtool, ['test', 'rules', tests]);
    expect(`${stdout}${stderr}`).toContain('SUCCESS');
    expect(status).toBe(0);
  });

  test('has a case that fires and one that does not for each alert', () => {
    const file = path.join(repositoryRoot, 'deploy/prometheus/alerts.test.yml');
    type Case = { alert_rule_test: { alertname: string; exp_alerts: unknown[] }[] };
    const cases = parse(readFileSync(file, 'utf8')).tests.flatMap(
      ({ alert_rule_test }: Case) => alert_rule_test,
    ) as Case['alert_rule_test'];
    const outcomes = cases.map(
      ({ alertname, exp_alerts }) => `${alertname} ${exp_alerts.length > 0 ? 'fires' : 'is quiet'}`,
    );
    expect(outcomes).toEqual(
      alerts.flatMap(({ alert }) => [`${alert} fires`, `${alert} is quiet`]),
    );
  });

  test.each(alerts)('$alert names a section of the guide as its runbook', ({ annotations }) => {
    const [file, anchor] = annotations.runbook.split('#');
    expect(file).toBe(guideFile);
    const anchors = [...guide.matchAll(/^## (.+)$/gm)].map(([, title = '']) =>
      title.toLowerCase().replaceAll(' ', '-'),
    );
    expect(anchors).toContain(anchor);
  });

  test('becomes a PrometheusRule by the command of the guide', () => {
    const command = /^\s*(\{ printf.*\}) \| kubectl apply/m.exec(guide)?.[1] ?? '';
    const rule = parse(execFileSync('sh', ['-c', command], { cwd: repositoryRoot }).toString());
    expect(rule).toMatchObject({ kind: 'PrometheusRule', metadata: { name: 'belfry' } });
    const [group] = rule.spec.groups;
    expect(group.rules).toEqual(alerts);
  });
});

describe('deploy/grafana/belfry.json', () => {
  testPromtool('has only queries that Prometheus can read', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'belfry-board-'));
    const file = path.join(folder, 'queries.yml');
    const rules = listPrometheusQueries().map(({ expr }, index) => ({
      record: `query_${index}`,
      expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$channel', '.*'),
    }));
    writeFileSync(file, stringify({ groups: [{ name: 'queries', rules }] }));
    const { status, stdout, stderr } = spawnSync(promtool, ['check', 'rules', file]);
    rmSync(folder, { recursive: true });
    expect(`${stdout}${stderr}`).toContain(`${rules.length} rules found`);
    expect(status).toBe(0);
  });

  test('asks only the data source that its reader chooses', () => {
    expect(board.templating.list[0]).toMatchObject({ name: 'datasource', type: 'datasource' });
    const panels = board.panels.filter(({ type }) => type !== 'row');
    const sources = panels.flatMap(({ datasource, targets = [] }) => [
      datasource,
      ...targets.map((target) => target.datasource),
    ]);
    expect(sources.length).toBeGreaterThan(panels.length);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of Grafana
    const chosen = { type: 'prometheus', uid: '${datasource}' };
    for (const source of sources) expect(source).toEqual(chosen);
  });

  test('starts with the row that says what to look at first', () => {
    const [first, ...rest] = board.panels;
    expect(first).toMatchObject({ type: 'row', title: 'Look here first' });
    const end = rest.findIndex(({ type }) => type === 'row');
    const titles = rest.slice(0, end).map(({ title }) => title);
    const listed = [...guide.matchAll(/^\d\. \*\*(.+?)\*\*/gm)].map(([, title]) => title);
    expect(listed).toEqual(titles);
  });

  test('shows panels that have their own ID and place', () => {
    const { panels } = board;
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    for (const { gridPos } of panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
  });
});
