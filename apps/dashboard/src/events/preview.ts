import type { Data } from '@belfry/shared';
import type { PreviewAnswer, PreviewBody } from '../api-types/events';
import type { Channels } from '../integrations/provider-forms';
import { channelNamed, type FindTemplateProblem } from './draft-problems';
import { createSampleData } from './sample-data';

/** Stands for the address, where the caller names none. */
const sampleTarget = 'preview';

/** What a message of this template would hold; the code that composes is the worker's. */
export function createPreview(channels: Channels, findTemplateProblem: FindTemplateProblem) {
  return function preview(input: PreviewBody): PreviewAnswer | undefined {
    const { template, missing = 'empty', target = sampleTarget } = input;
    const channel = channelNamed(channels, input.channel);
    if (!channel) return undefined;
    const problem = findTemplateProblem(input.channel, template);
    if (problem) return { problems: [problem] };
    const compiled = channel.compile(template);
    const { paths } = compiled;
    // It was read as JSON, and the schema says that it is an object.
    const data = (input.data as Data | undefined) ?? createSampleData(paths);
    const composed = compiled.compose({ data, target, override: undefined, missing });
    if ('failed' in composed) return { paths, data, ...composed };
    return { paths, data, notes: {}, ...composed };
  };
}

export type Preview = ReturnType<typeof createPreview>;
