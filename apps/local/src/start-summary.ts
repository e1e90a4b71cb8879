import type { Paint } from './paint';

export type StartSummary = {
  version: string;
  elapsedMs: number;
  apiUrl: string;
  dashboardUrl: string | undefined;
  /** For the first visit, where nobody can sign in yet. */
  setUpUrl: string | undefined;
  apiKey: string;
  appId: string;
  eventName: string;
  home: string;
  databaseUrl: string;
  redisUrl: string;
  /** Where the data of an embedded store lies; none for one that was given. */
  folders: { database?: string; redis?: string };
  processes: { name: string; pid: number }[];
};

/** What a start tells its reader, once everything runs. */
export function formatSummary(summary: StartSummary, paint: Paint): string {
  const rows = listRows(summary);
  const width = Math.max(...rows.map(([label]) => label.length));
  return [
    '',
    `${paint.bold(`Belfry ${summary.version}`)}  on this machine, for trying and developing  ` +
      paint.green(`ready in ${(summary.elapsedMs / 1_000).toFixed(1)} s`),
    '',
    ...rows.map(([label, text]) => `  ${paint.bold(label.padEnd(width))}  ${text}`),
    '',
    `  ${paint.bold('Try it')}: paste this line; the message appears below and in the dashboard's log.`,
    '',
    formatCurlCommand(summary),
    '',
    '  Ctrl-C stops everything that was started here. What happens from now on:',
    '',
  ].join('\n');
}

function listRows(summary: StartSummary): [label: string, text: string][] {
  const { apiUrl, dashboardUrl, folders } = summary;
  return [
    ['API', `${apiUrl}/v1    description: ${apiUrl}/openapi.json`],
    ['Probes', `${apiUrl}/livez  ${apiUrl}/readyz`],
    ['Dashboard', dashboardUrl ?? 'not built yet'],
    ...setUpRow(summary.setUpUrl),
    ['API key', summary.apiKey],
    ['App id', `${summary.appId}    event: ${summary.eventName}`],
    ['Delivery', 'sandbox: every message is captured, nothing leaves this machine'],
    [
      'Data',
      `${summary.home}    logs in logs, passwords of the stores in ready.json; remove the folder to begin anew`,
    ],
    ['PostgreSQL', storeText(summary.databaseUrl, folders.database)],
    ['Redis', storeText(summary.redisUrl, folders.redis)],
    ['Processes', summary.processes.map(({ name, pid }) => `${name} ${pid}`).join(', ')],
  ];
}

function setUpRow(setUpUrl: string | undefined): [label: string, text: string][] {
  if (setUpUrl === undefined) return [];
  return [['Set up', `${setUpUrl}    once, within 30 minutes`]];
}

function storeText(url: string, folder: string | undefined): string {
  const maskedUrl = new URL(url);
  if (maskedUrl.password) maskedUrl.password = '***';
  return `${maskedUrl.href}    ${folder ? `a real server, its data in ${folder}` : 'as given'}`;
}

/** One line, without anything that a shell would read differently when it is pasted. */
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
