import { maskRedisUrl } from '@belfry/runtime';
import type { Paint } from './paint';

export type StartSummary = {
  version: string;
  elapsedMs: number;
  apiUrl: string;
  dashboardUrl: string | undefined;
  /** Link to create the first operator; undefined if one exists. */
  setUpUrl: string | undefined;
  demoUrl: string;
  apiKey: string;
  appId: string;
  eventName: string;
  home: string;
  databaseUrl: string;
  redisUrl: string;
  /** Data folders of embedded servers; absent for external ones. */
  folders: { database?: string; redis?: string };
  processes: { name: string; pid: number }[];
};

/** The text that is printed when everything runs. */
export function formatSummary(summary: StartSummary, paint: Paint): string {
  const rows = listRows(summary);
  const width = Math.max(...rows.map(([label]) => label.length));
  return [
    '',
    `${paint.bold(`Belfry ${summary.version}`)}  local, for evaluation and development  ` +
      paint.green(`ready in ${(summary.elapsedMs / 1_000).toFixed(1)} s`),
    '',
    ...rows.map(([label, text]) => `  ${paint.bold(label.padEnd(width))}  ${text}`),
    '',
    `  ${paint.bold('Try it')}: paste this command. The message appears below and in the dashboard's log.`,
    '',
    formatCurlCommand(summary),
    '',
    '  Press Ctrl-C to stop everything. Requests and messages from now on:',
    '',
  ].join('\n');
}

function listRows(summary: StartSummary): [label: string, text: string][] {
  const { apiUrl, dashboardUrl, folders } = summary;
  return [
    ['API', `${apiUrl}/v1    OpenAPI: ${apiUrl}/openapi.json`],
    ['Health', `${apiUrl}/livez  ${apiUrl}/readyz`],
    ['Dashboard', dashboardUrl ?? 'not built: run npm run build'],
    ...setUpRow(summary.setUpUrl),
    ['Inbox demo', `${summary.demoUrl}    send an event and see it arrive in a browser`],
    ['API key', summary.apiKey],
    ['App id', `${summary.appId}    event: ${summary.eventName}`],
    ['Delivery', 'sandbox: messages are captured and never leave this machine'],
    [
      'Data',
      `${summary.home}    logs: logs/, passwords: ready.json. To start over, delete this folder.`,
    ],
    ['PostgreSQL', storeText('DATABASE_URL', maskPassword(summary.databaseUrl), folders.database)],
    ['Redis', storeText('REDIS_URL', maskRedisUrl(summary.redisUrl), folders.redis)],
    ['Processes', summary.processes.map(({ name, pid }) => `${name} ${pid}`).join(', ')],
  ];
}

function setUpRow(setUpUrl: string | undefined): [label: string, text: string][] {
  if (setUpUrl === undefined) return [];
  return [['First sign-in', `${setUpUrl}    valid once, for 30 minutes`]];
}

function storeText(variable: string, url: string, folder: string | undefined): string {
  const source = folder ? `started by Belfry; data in ${folder}` : `external (${variable})`;
  return `${url}    ${source}`;
}

function maskPassword(url: string): string {
  const maskedUrl = new URL(url);
  if (maskedUrl.password) maskedUrl.password = '***';
  return maskedUrl.href;
}

/** One line, without characters that a shell would interpret when it is pasted. */
export function formatCurlCommand({ apiUrl, apiKey, appId, eventName }: StartSummary): string {
  const body = {
    event: eventName,
    user: { email: 'ana@example.com' },
    data: {
      user_name: 'Ana',
      order: { id: 'A-1001', items: [{ quantity: 2, name: 'Bell rope' }] },
    },
  };
  return [
    `curl -sS ${apiUrl}/v1/apps/${appId}/events/send`,
    `-H 'Authorization: AuthKey ${apiKey}'`,
    "-H 'Content-Type: application/json'",
    `-d '${JSON.stringify(body)}'`,
  ].join(' ');
}
