import { type AnyChannel, isPhoneRegion } from '@belfry/channels';
import { maxCategories, maxWebhookEndpoints } from '@belfry/database';
import { completeDefinition, listAppSettings, maxAlertRules, operatorInput } from '@belfry/shared';
import { Type } from '@sinclair/typebox';
import { completeSettings, findProvider } from './check-integration';
import type {
  Configuration,
  FileAlert,
  FileEvent,
  FileIntegration,
  FileProblem,
} from './configuration';
import { findProblems } from './find-problems';
import { decodeName, encodeName, type Files, fileNames } from './format-files';
import { groupTemplates, parseTemplates, type TemplateFile, templatePath } from './parse-templates';
import { FileProblems, type Reader, readFile, readList } from './read-file';

const {
  alertKindChoice,
  alertParams,
  alertRecipients,
  appSettingSchemas,
  categorySlugSchema,
  categoryTexts,
  eventName,
  nameSchema,
  notARegion,
  policyInput,
  versionFields,
  webhookForm,
} = operatorInput;

/** Rejects unknown fields. */
const closed = { additionalProperties: false };

const reference = Type.Object(
  { env: Type.String({ maxLength: 128, pattern: '^[A-Za-z_][A-Za-z0-9_]*$' }) },
  { ...closed, 'x-problem': 'must name an environment variable, as in { "env": "SMTP_PASSWORD" }' },
);

const { delivery: _, ...settingSchemas } = appSettingSchemas;
const appFile = Type.Partial(Type.Object(settingSchemas), closed);

const categoriesFile = Type.Array(
  Type.Object({ slug: categorySlugSchema, texts: categoryTexts }, closed),
  { maxItems: maxCategories, 'x-problem': `must be a list of at most ${maxCategories} categories` },
);

const integrationFile = Type.Object(
  {
    channel: Type.String(),
    provider: Type.String(),
    settings: Type.Record(Type.String(), Type.Unknown(), { maxProperties: 100 }),
    credentials: Type.Record(Type.String(), reference, { maxProperties: 100 }),
  },
  closed,
);

const channelHead = Type.Partial(
  Type.Object({ integrations: Type.Array(nameSchema, { maxItems: 10 }), policy: policyInput }),
  closed,
);

const eventFile = Type.Partial(
  Type.Object({
    ...versionFields,
    channels: Type.Record(Type.String(), channelHead, { maxProperties: 20 }),
  }),
  closed,
);

const webhooksFile = Type.Array(
  Type.Object(
    {
      ...webhookForm,
      url: Type.Union([webhookForm.url, reference], {
        'x-problem':
          'must be a URL, or name an environment variable as in { "env": "WEBHOOK_URL" }',
      }),
      enabled: Type.Boolean(),
    },
    closed,
  ),
  { maxItems: maxWebhookEndpoints },
);

const alertTarget = Type.Object({ integration: nameSchema, to: alertRecipients }, closed);

const alertsFile = Type.Array(
  Type.Object(
    {
      kind: alertKindChoice,
      params: alertParams,
      enabled: Type.Boolean(),
      channel: Type.Optional(Type.String({ maxLength: 64 })),
      integration: Type.Optional(nameSchema),
      sendBy: Type.Optional(alertTarget),
      fallback: Type.Optional(alertTarget),
    },
    closed,
  ),
  { maxItems: maxAlertRules },
);

/** The configuration in the files. Throws FileProblems. */
export function parseFiles(files: Files, channels: Record<string, AnyChannel>): Configuration {
  const problems: FileProblem[] = [];
  const reader: Reader = {
    files,
    channels,
    report: (file, problem) => problems.push({ file, problem }),
  };
  for (const file of files.keys()) {
    if (!isKnown(file)) reader.report(file, 'is not a file of a configuration folder');
  }
  const configuration = {
    settings: parseSettings(reader),
    categories: parseCategories(reader),
    integrations: parseIntegrations(reader),
    events: parseEvents(reader),
    webhooks: readList(reader, fileNames.webhooks, webhooksFile),
    alerts: readList(reader, fileNames.alerts, alertsFile) as FileAlert[],
  };
  if (problems.length > 0) throw new FileProblems(problems);
  return configuration;
}

const integrationPath = /^integrations\/([^/]+)\.json$/;
const eventPath = /^events\/([^/]+)\/event\.json$/;

function isKnown(file: string): boolean {
  if (Object.values(fileNames).some((name) => name === file)) return true;
  return [integrationPath, eventPath, templatePath].some((pattern) => pattern.test(file));
}

function parseSettings(reader: Reader): Configuration['settings'] {
  const file = fileNames.app;
  const defaults = listAppSettings()
    .filter(([key]) => key !== 'delivery')
    .map(([key, setting]) => [key, setting.default]);
  if (!reader.files.has(file)) reader.report(file, 'is missing');
  const entered = reader.files.has(file) ? readFile(reader, file, appFile) : undefined;
  const region = entered?.defaultRegion;
  if (typeof region === 'string' && !isPhoneRegion(region)) {
    reader.report(file, `defaultRegion ${notARegion}`);
  }
  return { ...Object.fromEntries(defaults), ...entered };
}

function parseCategories(reader: Reader): Configuration['categories'] {
  const categories = readList(reader, fileNames.categories, categoriesFile);
  const slugs = categories.map(({ slug }) => slug);
  for (const slug of findRepeated(slugs)) {
    reader.report(fileNames.categories, `has the category ${slug} twice`);
  }
  return categories;
}

function findRepeated(names: readonly string[]): string[] {
  return names.filter((name, index) => names.indexOf(name) !== index);
}

/** The name that a path has at the first group of a pattern. */
function readName(reader: Reader, file: string, pattern: RegExp): string | undefined {
  const [, text] = pattern.exec(file) ?? [];
  if (text === undefined) return undefined;
  const name = decodeName(text);
  const schema = pattern === eventPath ? eventName : nameSchema;
  const problem =
    name === undefined
      ? 'has a name that must be percent-encoded, as in Web%20shop'
      : findProblems(schema, name, '')[0]?.problem;
  if (problem) reader.report(file, problem);
  return problem ? undefined : name;
}

function parseIntegrations(reader: Reader): FileIntegration[] {
  return [...reader.files.keys()].flatMap((file) => {
    const name = readName(reader, file, integrationPath);
    const entered = name === undefined ? undefined : readFile(reader, file, integrationFile);
    if (name === undefined || entered === undefined) return [];
    const provider = findProvider(reader.channels, entered);
    if (!provider) {
      reader.report(
        file,
        `has an unknown channel or provider: ${entered.channel}, ${entered.provider}`,
      );
      return [];
    }
    return [{ ...entered, name, settings: completeSettings(provider, entered.settings) }];
  });
}

function parseEvents(reader: Reader): FileEvent[] {
  const groups = groupTemplates(reader.files);
  const events = [...reader.files.keys()].flatMap((file) => {
    const name = readName(reader, file, eventPath);
    if (name === undefined) return [];
    const group = groups.get(encodeName(name)) ?? [];
    groups.delete(encodeName(name));
    return parseEvent(reader, { name, file, group }) ?? [];
  });
  for (const [first] of groups.values()) {
    if (first) reader.report(first.file, 'has no event.json beside it');
  }
  return events;
}

type EventFiles = { name: string; file: string; group: readonly TemplateFile[] };

function parseEvent(reader: Reader, { name, file, group }: EventFiles): FileEvent | undefined {
  const entered = readFile(reader, file, eventFile);
  if (!entered) return undefined;
  const { channels: heads = {}, ...entries } = entered;
  const templates = parseTemplates(reader, group, Object.keys(heads));
  const inputs = Object.entries(heads).map(([channel, { policy = {} }]) => [channel, { policy }]);
  const { channels, ...fields } = completeDefinition({
    ...entries,
    channels: Object.fromEntries(inputs),
  });
  const complete = Object.entries(channels).map(([channel, { policy }]) => {
    const integrations = heads[channel]?.integrations ?? [];
    return [channel, { policy, integrations, templates: templates.get(channel) ?? {} }];
  });
  return { name, fields, channels: Object.fromEntries(complete) };
}
