import { type CallData, maxCallsCompared } from '@belfry/database';
import { type Data, hasPath } from '@belfry/shared';
import type { MissingVariable, TemplatePath, VariablesAnswer } from '../api/events';

const maxPaths = 200;

/** Of each path that templates read, how many of the newest calls did not carry it. */
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
  // What is stored there and not sealed is the JSON of the `data` object that was accepted.
  return text === null ? {} : (JSON.parse(text) as Data);
}
