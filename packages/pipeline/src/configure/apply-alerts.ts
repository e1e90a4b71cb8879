import {
  type ActorInApp,
  type AlertRuleFields,
  type AlertRuleRow,
  createAlertRules,
  type Queryable,
} from '@belfry/database';
import { readAlertRule } from './check-alert-rule';
import { toEntered } from './check-references';
import type { Configuration, FileAlert } from './configuration';
import { fileNames, formatJson } from './format-files';
import { type StoredApp, toFileAlert } from './read-app';
import { FileProblems } from './read-file';

export type AlertsPlan = {
  stored: StoredApp;
  wanted: Configuration;
  /** The ID of each integration by its name. */
  ids: ReadonlyMap<string, string>;
};

/** Rules have no names: equal ones stay, and of the rest those that watch the same are changed, so that they keep their history. */
export async function applyAlerts(
  client: Queryable,
  actor: ActorInApp,
  { stored, wanted, ids }: AlertsPlan,
): Promise<void> {
  const rules = createAlertRules(client);
  const names = new Map(stored.integrations.map(({ id, name }) => [id, name]));
  const rows = stored.alerts.map((row) => ({ row, file: toFileAlert(row, names) }));
  const { pairs, news } = pairAlerts(rows, wanted.alerts);
  const kept = new Set(pairs.map(({ row }) => row.id));
  const left = stored.alerts.filter(({ id }) => !kept.has(id));
  for (const { id } of left) await rules.remove(actor, actor.appId, id);
  const toRule = createToRule(stored, wanted, ids);
  for (const { row, file, old } of pairs) {
    const isSame = formatJson({ ...file, enabled: old.enabled }) === formatJson(old);
    if (!isSame) await rules.change(actor, actor.appId, { id: row.id, ...toRule(file) });
    await enable(row.id, { is: old.enabled, wanted: file.enabled });
  }
  for (const file of news) {
    const created = await rules.create(actor, actor.appId, toRule(file));
    if (created === 'full') {
      throw new FileProblems([{ file: fileNames.alerts, problem: 'has too many rules' }]);
    }
    await enable(created.id, { is: true, wanted: file.enabled });
  }

  async function enable(id: string, enabled: { is: boolean; wanted: boolean }): Promise<void> {
    if (enabled.is === enabled.wanted) return;
    await rules.setEnabled(actor, actor.appId, { id, isEnabled: enabled.wanted });
  }
}

type StoredAlert = { row: AlertRuleRow; file: FileAlert };
type Pair = { row: AlertRuleRow; old: FileAlert; file: FileAlert };

/** Pairs equal rules, then rules of the same kind that watch the same. */
function pairAlerts(
  stored: readonly StoredAlert[],
  wanted: readonly FileAlert[],
): { pairs: Pair[]; news: FileAlert[] } {
  const left = [...stored];
  const pairs: Pair[] = [];
  const pairBy = (files: readonly FileAlert[], toKey: (file: FileAlert) => string) =>
    files.filter((file) => {
      const at = left.findIndex((each) => toKey(each.file) === toKey(file));
      const [found] = at < 0 ? [] : left.splice(at, 1);
      if (found) pairs.push({ row: found.row, old: found.file, file });
      return !found;
    });
  const different = pairBy(wanted, formatJson);
  const news = pairBy(different, ({ kind, channel, integration }) =>
    formatJson({ kind, channel, integration }),
  );
  return { pairs, news };
}

function createToRule({ integrations }: StoredApp, wanted: Configuration, ids: AlertsPlan['ids']) {
  const byName = new Map(
    [...integrations, ...wanted.integrations].map(({ name, channel }) => [name, channel]),
  );
  const channels = new Map([...ids].map(([name, id]) => [id, byName.get(name) ?? '']));

  return function toRule(file: FileAlert): AlertRuleFields {
    const read = readAlertRule(
      channels,
      toEntered(file, (name) => ids.get(name) ?? ''),
    );
    // The rules were checked before.
    if ('problems' in read) throw new Error('An alert rule became invalid');
    return read.rule;
  };
}
