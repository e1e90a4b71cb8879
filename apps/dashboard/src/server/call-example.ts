import type { CallExampleAnswer } from '../api/test-send';

/** Placeholder until the page inserts the API key. */
const keyPlace = '<API key>';

export type CallExampleInput = {
  gatewayUrl: string;
  appId: string;
  body: { event: string; user: Record<string, unknown>; data: Record<string, unknown> };
};

/** The call that repeats the test send, ready to paste. */
export function callExample({ gatewayUrl, appId, body }: CallExampleInput): CallExampleAnswer {
  const base = gatewayUrl.replace(/(?<!\/)\/+$/, '');
  const url = `${base}/v1/apps/${appId}/events/send`;
  const curl = [
    `curl -sS ${quote(url)}`,
    `  -H 'Authorization: AuthKey ${keyPlace}'`,
    "  -H 'Content-Type: application/json'",
    `  -d ${quote(JSON.stringify(body))}`,
  ].join(' \\\n');
  const client = [
    "import { createBelfryClient } from '@belfry/client';",
    '',
    `const belfry = createBelfryClient({ baseUrl: ${JSON.stringify(base)}, apiKey: '${keyPlace}', appId: ${JSON.stringify(appId)} });`,
    `await belfry.events.send(${JSON.stringify(body, null, 2)});`,
  ].join('\n');
  return { url, body, curl, client };
}

/** Quotes a text for a shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
