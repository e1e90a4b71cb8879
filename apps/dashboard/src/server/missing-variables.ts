import { type CallData, maxCallsCompared } from '@belfry/database';
import { type Data, hasPath } from '@belfry/shared';
import type { TemplatePath } from '../api/events';
import type { MissingVariable, VariablesAnswer } from '../api/versions';

const maxPaths = 200;

/** Counts, for each template path, the newest calls that did not send it. */
export function compareWithCalls(
  paths: readonly TemplatePath[],
  calls: readonly CallData[],
): Omit<VariablesAnswer, 'isSensitive'> {
  const readable = calls.filter((call) => call.isReadable).map(({ data }) => parseData(data));
  const missing = paths
    .slice(0, maxPaths)
    .map(({ path, channels }): MissingVariable => {
      const missingIn = readable.filter((data) => !hasPath(data, path)).length;
      return { path, channels, missingIn };
    })
    .filter(({ missingIn }) => missingIn > 0)
    .sort((a, b) => b.missingIn - a.missingIn);
  return {
    compared: readable.length,
    maxCompared: maxCallsCompared,
    unreadable: calls.length - readable.length,
    missing,
  };
}

function parseData(text: string | null): Data {
  // The unsealed column holds the JSON of the accepted `data` object.
  return text === null ? {} : (JSON.parse(text) as Data);
}
