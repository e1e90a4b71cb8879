import type { AnyChannel } from '@belfry/channels';
import type { AppIntegration } from '@belfry/database';
import { AppError, createValidator, TemplateError, type VersionDefinition } from '@belfry/shared';
import type { DraftProblem } from '../api-types/events';
import type { Channels } from '../integrations/provider-forms';

export type FindDraftProblems = (
  definition: VersionDefinition,
  app: { delivery: 'sandbox' | 'live'; integrations: Pick<AppIntegration, 'id' | 'channel'>[] },
) => DraftProblem[];

type ChannelDraft = VersionDefinition['channels'][string];
type App = Parameters<FindDraftProblems>[1];

/** All that stands in the way of publishing, and what an operator should know. */
export function createFindDraftProblems(channels: Channels): FindDraftProblems {
  const findTemplateProblem = createFindTemplateProblem(channels);

  function problemsOfChannel(
    name: string,
    draft: ChannelDraft,
    { definition, app }: { definition: VersionDefinition; app: App },
  ): DraftProblem[] {
    const channel = channelNamed(channels, name);
    if (!channel) return [error({ channel: name, message: `there is no channel ${name}` })];
    const { defaultLocale } = definition;
    const found: (DraftProblem | undefined)[] = [
      ...problemsOfChain(name, draft, app),
      missingChain(name, draft, { isBuiltIn: channel.isBuiltIn === true, app }),
      Object.hasOwn(draft.templates, defaultLocale)
        ? undefined
        : error({
            channel: name,
            locale: defaultLocale,
            message: `there is no template in the default language, ${defaultLocale}`,
          }),
      ...Object.entries(draft.templates).map(([locale, template]) => {
        const problem = findTemplateProblem(name, template);
        return problem && { ...problem, locale };
      }),
    ];
    return found.filter((problem) => problem !== undefined);
  }

  return function findDraftProblems(definition, app) {
    const drafts = Object.entries(definition.channels);
    if (drafts.length === 0) return [error({ message: 'the event has no channel' })];
    return drafts.flatMap(([name, draft]) => problemsOfChannel(name, draft, { definition, app }));
  };
}

export type FindTemplateProblem = (channel: string, template: unknown) => DraftProblem | undefined;

/** Why a template cannot be saved as a version, with line and column where there is one. */
export function createFindTemplateProblem(channels: Channels): FindTemplateProblem {
  const checks = new Map(
    Object.entries(channels).map(([name, { template }]) => [name, createValidator(template)]),
  );

  return function findTemplateProblem(channel, template) {
    try {
      checks.get(channel)?.(template);
      channelNamed(channels, channel)?.compile(template);
      return undefined;
    } catch (thrown) {
      return problemOf(thrown, channel);
    }
  };
}

export function channelNamed(channels: Channels, name: string): AnyChannel | undefined {
  return Object.hasOwn(channels, name) ? channels[name] : undefined;
}

function problemOf(thrown: unknown, channel: string): DraftProblem {
  if (!(thrown instanceof TemplateError || thrown instanceof AppError)) throw thrown;
  const field = /^([a-z_]+)(?=[:.[ ])/.exec(thrown.message)?.[1];
  const place = thrown instanceof TemplateError ? { line: thrown.line, column: thrown.column } : {};
  return error({ channel, message: thrown.message, ...(field ? { field } : {}), ...place });
}

function problemsOfChain(name: string, draft: ChannelDraft, { integrations }: App): DraftProblem[] {
  return draft.integrationIds
    .filter((id) => !integrations.some((each) => each.id === id && each.channel === name))
    .map((id) => error({ channel: name, message: `the app has no integration ${id} for ${name}` }));
}

/** In sandbox delivery nothing goes by an integration, so that one can come later. */
function missingChain(
  name: string,
  { integrationIds }: ChannelDraft,
  { isBuiltIn, app }: { isBuiltIn: boolean; app: App },
): DraftProblem | undefined {
  if (integrationIds.length > 0 || isBuiltIn) return undefined;
  const problem = error({ channel: name, message: `${name} has no integration` });
  return app.delivery === 'live' ? problem : { ...problem, level: 'warning' };
}

function error(problem: Omit<DraftProblem, 'level'>): DraftProblem {
  return { level: 'error', ...problem };
}
