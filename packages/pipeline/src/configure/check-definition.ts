import type { AnyChannel } from '@belfry/channels';
import { formatUnknownCategory } from '@belfry/database';
import type { FairQueue } from '@belfry/runtime';
import {
  canonicalizeLocale,
  linkNames,
  operatorInput,
  TemplateError,
  type VersionDefinition,
} from '@belfry/shared';
import { findProblems } from './find-problems';

const { maxLocaleCharacters } = operatorInput;

export type DefinitionFacts = {
  channels: Record<string, AnyChannel>;
  delivery: 'sandbox' | 'live';
  integrations: readonly { id: string; channel: string; name: string; state: string }[];
  /** Slugs of the app. Without it, the category is not checked: a test needs none. */
  categories?: readonly string[];
  /** Fairness key of the compile queue. */
  accountId: string;
  compiling: Pick<FairQueue, 'run'>;
};

/** `channel` and `locale` name a template, `field`, `line` and `column` a place in it. Only an error prevents publishing. */
export type PublishProblem = {
  severity: 'error' | 'warning';
  channel?: string;
  locale?: string;
  field?: string;
  line?: number;
  column?: number;
  problem: string;
};

export type TemplatePath = { path: string; channels: string[] };

export type CheckedDefinition = { problems: PublishProblem[]; paths: TemplatePath[] };

/** Finds publish problems and warnings, and the paths that the templates read. */
export async function checkDefinition(
  definition: VersionDefinition,
  facts: DefinitionFacts,
): Promise<CheckedDefinition> {
  const paths = new Map<string, string[]>();
  const recordPath = (path: string, channel: string) => {
    const pathChannels = paths.get(path) ?? [];
    if (!pathChannels.includes(channel)) paths.set(path, [...pathChannels, channel]);
  };
  const names = Object.keys(definition.channels);
  const problems: PublishProblem[] =
    names.length === 0 ? [createError({}, 'The event has no channel. Add one.')] : [];
  const { category } = definition;
  if (category !== undefined && facts.categories?.includes(category) === false) {
    problems.push(createError({ field: 'category' }, formatUnknownCategory(category)));
  }
  for (const name of names) {
    problems.push(...(await checkChannel(name, definition, { ...facts, recordPath })));
  }
  return { problems, paths: [...paths].map(([path, channels]) => ({ path, channels })) };
}

type ChannelFacts = DefinitionFacts & { recordPath(path: string, channel: string): void };

async function checkChannel(
  name: string,
  definition: VersionDefinition,
  facts: ChannelFacts,
): Promise<PublishProblem[]> {
  const { channels, defaultLocale } = definition;
  const version = channels[name];
  const channel = Object.hasOwn(facts.channels, name) ? facts.channels[name] : undefined;
  const at = { channel: name };
  if (!channel || !version) return [createError(at, `Unknown channel ${name}.`)];
  const problems = checkChain(name, version.integrationIds, {
    ...facts,
    isBuiltIn: channel.isBuiltIn === true,
  });
  const locales = Object.keys(version.templates);
  if (!locales.some((each) => isSameLocale(each, defaultLocale))) {
    const text = `Add a template in the default language, ${defaultLocale}.`;
    problems.push(createError({ ...at, locale: defaultLocale }, text));
  }
  problems.push(...findRepeatedLocales(name, definition));
  for (const each of locales) {
    const place = { ...at, locale: each };
    const check = () => checkTemplate(place, channel, version.templates[each], facts);
    // Compiling a template takes up to 30 ms, so other calls run in between.
    problems.push(...(await facts.compiling.run(facts.accountId, check)));
  }
  return problems;
}

/** Problems of a channel's chain of integrations. */
export function checkChain(
  channel: string,
  ids: readonly string[],
  {
    integrations,
    delivery,
    isBuiltIn,
  }: Pick<DefinitionFacts, 'integrations' | 'delivery'> & { isBuiltIn: boolean },
): PublishProblem[] {
  const at = { channel };
  if (ids.length === 0 && !isBuiltIn) {
    return [
      delivery === 'sandbox'
        ? createWarning(at, 'Without an integration this channel sends to the sandbox only.')
        : createError(at, 'Choose an integration for this channel.'),
    ];
  }
  return ids.flatMap((id) => {
    const integration = integrations.find((each) => each.id === id && each.channel === channel);
    if (!integration)
      return [createError(at, 'An integration of its chain was removed. Choose another.')];
    if (integration.state === 'active') return [];
    const state = integration.state === 'paused' ? 'is paused' : 'needs attention';
    // A message fails over from a failing integration, but waits for a paused one.
    const willWait = integration.state === 'paused' || ids.length === 1;
    const then = willWait
      ? 'messages will wait for it'
      : 'messages fail over to the next integration';
    return [createWarning(at, `Integration ${integration.name} ${state}: ${then}.`)];
  });
}

/** Languages of a channel that occur in two spellings, such as `pt-BR` and `pt_br`. */
export function findRepeatedLocales(
  channel: string,
  { channels }: VersionDefinition,
): PublishProblem[] {
  const locales = Object.keys(channels[channel]?.templates ?? {});
  return locales.flatMap((each, index) => {
    const first = locales.slice(0, index).find((earlier) => isSameLocale(earlier, each));
    if (first === undefined) return [];
    const text = `${each} and ${first} are the same language. Remove one of them.`;
    return [createError({ channel, locale: each }, text)];
  });
}

function isSameLocale(a: string, b: string): boolean {
  const canonical = canonicalizeLocale(a);
  return canonical === undefined ? a === b : canonical === canonicalizeLocale(b);
}

type TemplateLocation = { channel: string; locale: string };

function checkTemplate(
  at: TemplateLocation,
  channel: AnyChannel,
  template: unknown,
  { recordPath }: ChannelFacts,
): PublishProblem[] {
  if (at.locale.length > maxLocaleCharacters || canonicalizeLocale(at.locale) === undefined) {
    const name = at.locale.slice(0, maxLocaleCharacters);
    return [
      createError(
        { ...at, locale: name },
        `${name} is not a language tag. Use one such as en or de-AT.`,
      ),
    ];
  }
  const schemaProblems = findProblems(channel.template, template, '');
  if (schemaProblems.length > 0) {
    return schemaProblems.map(({ path, problem }) =>
      createError({ ...at, ...(path && { field: path }) }, problem),
    );
  }
  try {
    for (const path of channel.compile(template, at.locale).paths) {
      if (!linkNames.some((name) => name === path)) recordPath(path, at.channel);
    }
    return [];
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return [toPublishProblem(at, channel, error)];
  }
}

/** Channels prefix the error text with the field. */
function toPublishProblem(
  at: TemplateLocation,
  channel: AnyChannel,
  { message, line, column }: TemplateError,
): PublishProblem {
  const [, field, text] = /^([A-Za-z_][\w.[\]-]*): (.*)$/s.exec(message) ?? [];
  const isField =
    field !== undefined && Object.hasOwn(channel.template.properties, field.split(/[.[]/)[0] ?? '');
  return isField
    ? { ...createError({ ...at, field }, text ?? message), line, column }
    : { ...createError(at, message), line, column };
}

type ProblemLocation = { channel?: string; locale?: string; field?: string };

function createError(at: ProblemLocation, problem: string): PublishProblem {
  return { severity: 'error', ...at, problem };
}

function createWarning(at: ProblemLocation, problem: string): PublishProblem {
  return { severity: 'warning', ...at, problem };
}
