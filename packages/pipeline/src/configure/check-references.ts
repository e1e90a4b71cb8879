import { formatUnknownCategory } from '@belfry/database';
import { readAlertRule } from './check-alert-rule';
import type { PublishProblem } from './check-definition';
import { checkDefinition } from './check-definition';
import { type Configuration, channels, type FileAlert, type FileEvent } from './configuration';
import { type Files, fileNames, getEventFile, getTemplateFile, textFields } from './format-files';

/** The names that files may use. */
export type Known = {
  /** The channel of each integration, by its name. */
  integrations: ReadonlyMap<string, string>;
  categories: readonly string[];
  delivery: 'sandbox' | 'live';
};

export type Report = (file: string, problem: string) => void;

/** Reports integrations and categories that do not exist. */
export function checkReferences(event: FileEvent, known: Known, report: Report): void {
  const file = getEventFile(event.name);
  for (const [channel, { integrations }] of Object.entries(event.channels)) {
    for (const name of integrations) {
      if (known.integrations.get(name) === channel) continue;
      report(
        file,
        `channels.${channel}.integrations names “${name}”, which is no integration of this channel`,
      );
    }
  }
  const { category } = event.fields;
  if (category !== undefined && !known.categories.includes(category)) {
    report(file, formatUnknownCategory(category));
  }
}

/** Reports what would prevent publishing. */
export async function checkEvent(
  event: FileEvent,
  known: Known,
  { files, report }: { files: Files; report: Report },
): Promise<void> {
  // The names of integrations are their IDs here, because new ones have none yet.
  const { problems } = await checkDefinition(
    toDefinition(event, (name) => name),
    {
      channels,
      delivery: known.delivery,
      integrations: [...known.integrations].map(([name, channel]) => ({
        ...{ id: name, name, channel, state: 'active' },
      })),
      accountId: '',
      compiling: { run: (_accountId, work) => work() },
    },
  );
  for (const problem of problems) {
    if (problem.severity === 'error') report(...locate(event.name, problem, files));
  }
}

export function toDefinition(
  { fields, channels: fileChannels }: FileEvent,
  toId: (integration: string) => string,
) {
  const entries = Object.entries(fileChannels).map(([channel, { integrations, ...version }]) => [
    channel,
    { ...version, integrationIds: integrations.map(toId) },
  ]);
  return { ...fields, channels: Object.fromEntries(entries) };
}

/** The file of a problem, and its text. */
function locate(event: string, at: PublishProblem, files: Files): [string, string] {
  const { channel, locale, field, line, column, problem } = at;
  const place = line === undefined ? '' : `line ${line}, column ${column}: `;
  const subject = field === undefined || Object.hasOwn(textFields, field) ? '' : `${field}: `;
  const text = `${place}${subject}${problem}`;
  if (channel === undefined) return [getEventFile(event), text];
  if (locale === undefined) return [getEventFile(event), `channels.${channel}: ${text}`];
  const candidates = [field, undefined, ...Object.keys(textFields)].map((each) =>
    getTemplateFile(event, { channel, locale, field: each }),
  );
  const file = candidates.find((candidate) => files.has(candidate));
  return file ? [file, text] : [getEventFile(event), `channels.${channel}: ${text}`];
}

/** Reports what is wrong with alert rules. Names of integrations are their IDs here. */
export function checkAlerts(
  { alerts }: Pick<Configuration, 'alerts'>,
  known: Known,
  report: Report,
): void {
  for (const [index, alert] of alerts.entries()) {
    const read = readAlertRule(
      known.integrations,
      toEntered(alert, (name) => name),
    );
    if ('rule' in read) continue;
    for (const { path, problem } of read.problems) {
      const field = path.replace('integrationId', 'integration');
      report(fileNames.alerts, `${index}.${field} ${problem}`);
    }
  }
}

export function toEntered(alert: FileAlert, toId: (integration: string) => string) {
  const { kind, params, channel, integration, sendBy, fallback } = alert;
  const toTarget = (target: FileAlert['sendBy']) =>
    target && { integrationId: toId(target.integration), to: target.to };
  return {
    ...{ kind, params, channel, integrationId: integration && toId(integration) },
    ...{ sendBy: toTarget(sendBy), fallback: toTarget(fallback) },
  };
}
