import { createSystemActor, inTransaction, type Queryable } from '@belfry/database';
import type { Secrets } from '@belfry/runtime';
import { applyPlan } from './apply-plan';
import {
  checkAlerts,
  checkEvent,
  checkReferences,
  type Known,
  type Report,
} from './check-references';
import {
  type Base,
  compareFiles,
  type Digests,
  digestFiles,
  type FileChange,
  getPart,
  listChangedEvents,
  type Part,
  selectParts,
} from './compare-files';
import { type Configuration, channels, type FileProblem, type Variables } from './configuration';
import { type Files, fileNames, formatFiles, getIntegrationFile } from './format-files';
import { parseFiles } from './parse-files';
import { listChanged, type PreparedIntegration, prepareIntegration } from './prepare-integrations';
import {
  type AppAddress,
  digestApp,
  readStoredApp,
  type StoredApp,
  toConfiguration,
} from './read-app';
import { FileProblems } from './read-file';
import { type ResolvedIntegration, resolveReferences } from './resolve-references';

export type PushDeps = {
  pool: Queryable;
  secrets: Secrets;
  /** The rule that a webhook URL breaks. */
  findUrlProblem(url: string): string | undefined;
};

export type PushInput = AppAddress & {
  files: Files;
  base: Base;
  variables: Variables;
  parts: readonly Part[];
  /** Also replaces what changed in the app since the last pull or push. */
  overwrite: boolean;
  /** Also removes what the folder does not have. */
  remove: boolean;
  /** Checks and compares only. Variables may be missing. */
  isDryRun: boolean;
};

export type Pushed = {
  state: 'unchanged' | 'changed' | 'conflict' | 'removes';
  changes: FileChange[];
  /** Files of integrations whose stored credentials differ from the variables. */
  secrets: string[];
  /** After a push. */
  base: Base;
};

/** Makes the app equal to the files, in one transaction. Throws FileProblems, and then nothing changed. */
export async function pushFiles(deps: PushDeps, input: PushInput): Promise<Pushed> {
  const configuration = parseFiles(input.files, channels);
  return inTransaction(deps.pool, async (client) => {
    // A change of somebody else in between fails the transaction, and the next try sees it.
    await client.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
    const stored = await readStoredApp(client, deps.secrets, input);
    const changes = listChanges(stored, configuration, input);
    const { plan, secrets } = await checkPush(deps, {
      ...input,
      stored,
      wanted: configuration,
      changes,
    });
    const state = judge(changes, secrets, input);
    if (state !== 'changed' || input.isDryRun) return { state, changes, secrets, base: input.base };
    await applyPlan(
      client,
      { actor: { ...createSystemActor(input.accountId), appId: input.appId }, ...deps },
      plan,
    );
    const after = await readStoredApp(client, deps.secrets, input);
    requireEqual(listChanges(after, configuration, input));
    return { state, changes, secrets, base: mergeBase(input, configuration, after) };
  });
}

function listChanges(stored: StoredApp, wanted: Configuration, input: PushInput): FileChange[] {
  const current = formatFiles(toConfiguration(stored, wanted, input.variables));
  return compareFiles({
    from: selectParts(formatFiles(wanted), input.parts),
    to: selectParts(current, input.parts),
    now: digestApp(stored),
    base: input.base.app,
  });
}

function judge(
  changes: readonly FileChange[],
  secrets: readonly string[],
  { overwrite, remove }: PushInput,
): Pushed['state'] {
  if (changes.length === 0 && secrets.length === 0) return 'unchanged';
  if (!overwrite && changes.some(({ isConflict }) => isConflict)) return 'conflict';
  if (!remove && changes.some(({ kind }) => kind === 'remove')) return 'removes';
  return 'changed';
}

/** A difference here is a bug: the transaction is rolled back. */
function requireEqual(changes: readonly FileChange[]): void {
  if (changes.length === 0) return;
  const files = changes.map(({ file }) => file).join(', ');
  throw new Error(`The app would not be equal to the folder after this push: ${files}`);
}

/** Parts that were not pushed keep their base. */
function mergeBase({ base, parts }: PushInput, wanted: Configuration, after: StoredApp): Base {
  const merge = (old: Digests, pushed: Digests) => {
    const isPushed = ([file]: [string, string]) => parts.includes(getPart(file));
    const kept = Object.entries(old).filter((entry) => !isPushed(entry));
    return Object.fromEntries([...kept, ...Object.entries(pushed).filter(isPushed)]);
  };
  return {
    folder: merge(base.folder, digestFiles(formatFiles(wanted))),
    app: merge(base.app, digestApp(after)),
  };
}

type CheckInput = PushInput & {
  stored: StoredApp;
  wanted: Configuration;
  changes: readonly FileChange[];
};

/** Returns the plan of the push. Throws FileProblems. */
async function checkPush({ findUrlProblem }: PushDeps, input: CheckInput) {
  const { stored, wanted, changes, parts } = input;
  const problems: FileProblem[] = [];
  const report = (file: string, problem: string) => problems.push({ file, problem });
  const resolved = resolveReferences(
    {
      integrations: parts.includes('integrations') ? wanted.integrations : [],
      webhooks: parts.includes('webhooks') ? wanted.webhooks : [],
    },
    { ...input, report },
  );
  const { integrations, secrets } = await prepareAll(resolved.integrations, stored, report);
  for (const [index, { url }] of resolved.webhooks.entries()) {
    const problem = url === undefined ? undefined : findUrlProblem(url);
    if (problem) report(fileNames.webhooks, `${index}.url ${problem}`);
  }
  const names = listKnown(input);
  if (parts.includes('alerts')) checkAlerts(wanted, names, report);
  if (parts.includes('events')) await checkEvents(input, names, report);
  if (problems.length > 0) throw new FileProblems(problems);
  const byFile = new Map(changes.map((change) => [change.file, change]));
  const plan = { stored, wanted, changes: byFile, integrations, webhooks: resolved.webhooks };
  return { plan, secrets };
}

async function prepareAll(
  resolved: readonly ResolvedIntegration[],
  stored: StoredApp,
  report: Report,
) {
  const integrations: PreparedIntegration[] = [];
  const secrets: string[] = [];
  for (const each of resolved) {
    const row = stored.integrations.find(({ name }) => name === each.file.name);
    if (row && listChanged(row, each.entered).length > 0)
      secrets.push(getIntegrationFile(row.name));
    const { integration, problems = [] } = await prepareIntegration(each, row);
    if (integration) integrations.push(integration);
    for (const { file, problem } of problems) report(file, problem);
  }
  return { integrations, secrets };
}

async function checkEvents(
  { wanted, changes, files }: CheckInput,
  known: Known,
  report: (file: string, problem: string) => void,
): Promise<void> {
  const changed = listChangedEvents(wanted, changes);
  for (const event of wanted.events) {
    checkReferences(event, known, report);
    if (changed.includes(event)) await checkEvent(event, known, { files, report });
  }
}

/** Returns the names that events and alert rules may use after the push. */
function listKnown({ stored, wanted, parts }: CheckInput): Known {
  const integrations = parts.includes('integrations') ? wanted.integrations : stored.integrations;
  const categories = parts.includes('categories') ? wanted.categories : stored.categories;
  return {
    integrations: new Map(integrations.map(({ name, channel }) => [name, channel])),
    categories: categories.map(({ slug }) => slug),
    delivery: stored.app.delivery,
  };
}
