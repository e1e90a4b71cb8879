import { isDeepStrictEqual } from 'node:util';
import type { IntegrationInput, Provider } from '@belfry/channels';
import type { FieldProblem } from '@belfry/shared';
import { checkIntegration, findProvider } from './check-integration';
import { channels, type FileProblem } from './configuration';
import { getIntegrationFile } from './format-files';
import { makeMissing, mergeIntoStored } from './merge-credentials';
import type { OpenIntegration } from './read-app';
import type { ResolvedIntegration } from './resolve-references';

/** An integration to create, or to change if it has a `row`. */
export type PreparedIntegration = {
  name: string;
  channel: string;
  provider: string;
  row: OpenIntegration | undefined;
  settings: Record<string, unknown>;
  credentials: Record<string, unknown>;
  entered: string[];
};

/** Empty if nothing changes. */
type Prepared = { integration?: PreparedIntegration; problems?: FileProblem[] };

/** The integration as it is to be stored, or what is wrong with it. */
export async function prepareIntegration(
  { file, settings, entered, isComplete }: ResolvedIntegration,
  row: OpenIntegration | undefined,
): Promise<Prepared> {
  const { name, channel, provider: providerName } = file;
  const path = getIntegrationFile(name);
  const provider = findProvider(channels, file);
  if (!provider || !isSameProvider(row, file)) {
    const problem = `has another channel or provider than the integration ${name} of the app. Give it another name.`;
    return { problems: [{ file: path, problem }] };
  }
  const changed = listChanged(row, entered);
  const isSame = row && changed.length === 0 && isDeepStrictEqual(row.settings, settings);
  if (isSame || !isComplete) return {};
  const credentials = await findCredentials(provider, row, { settings, credentials: entered });
  if (Array.isArray(credentials)) return locate(path, credentials);
  const problems = checkIntegration(provider, { settings, credentials });
  if (problems.length > 0) return locate(path, problems);
  const stored = { name, channel, provider: providerName, row, settings, credentials };
  return { integration: { ...stored, entered: row ? changed : Object.keys(credentials) } };
}

function isSameProvider(
  row: OpenIntegration | undefined,
  { channel, provider }: Pick<OpenIntegration, 'channel' | 'provider'>,
): boolean {
  return row === undefined || (row.channel === channel && row.provider === provider);
}

function locate(file: string, problems: FieldProblem[]): { problems: FileProblem[] } {
  return {
    problems: problems.map(({ path, problem }) => ({ file, problem: `${path} ${problem}` })),
  };
}

/** The credentials to store, or the problems of entered ones. */
async function findCredentials(
  provider: Provider<unknown>,
  row: OpenIntegration | undefined,
  entered: IntegrationInput,
): Promise<Record<string, unknown> | FieldProblem[]> {
  if (!row) return makeMissing(provider, entered.credentials);
  const stored = { settings: row.settings, credentials: row.open };
  const merged = mergeIntoStored(provider, stored, entered);
  return 'problems' in merged ? merged.problems : merged.credentials;
}

/** Names of the entered credentials that differ from the stored ones. */
export function listChanged(
  row: OpenIntegration | undefined,
  entered: Record<string, string>,
): string[] {
  return Object.keys(entered).filter((name) => entered[name] !== row?.open[name]);
}
