import type { CallExampleAnswer } from '../api/test-send';

/** What stands for the API key until the page puts it in. */
const keyPlace = '<API key>';

export type CallExampleInput = {
  gatewayUrl: string;
  appId: string;
  body: { event: string; user: Record<string, unknown>; data: Record<string, unknown> };
};

/** A call that does what the test did, ready to paste. */
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

/** For a shell: nothing inside is read by it. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
