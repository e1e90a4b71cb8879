import type { Paint } from './paint';

export type Offer = {
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
export function showOffer(offer: Offer, paint: Paint): string {
  const rows = listRows(offer);
  const width = Math.max(...rows.map(([label]) => label.length));
  return [
    '',
    `${paint.bold(`Belfry ${offer.version}`)}  on this machine, for trying and developing  ` +
      paint.green(`ready in ${(offer.elapsedMs / 1_000).toFixed(1)} s`),
    '',
    ...rows.map(([label, text]) => `  ${paint.bold(label.padEnd(width))}  ${text}`),
    '',
    `  ${paint.bold('Try it')}: paste this line; the message appears below and in the dashboard's log.`,
    '',
    tryLine(offer),
    '',
    '  Ctrl-C stops everything that was started here. What happens from now on:',
    '',
  ].join('\n');
}

function listRows(offer: Offer): [label: string, text: string][] {
  const { apiUrl, dashboardUrl, folders } = offer;
  return [
    ['API', `${apiUrl}/v1    description: ${apiUrl}/openapi.json`],
    ['Probes', `${apiUrl}/livez  ${apiUrl}/readyz`],
    ['Dashboard', dashboardUrl ?? 'not built yet'],
    ...setUpRow(offer.setUpUrl),
    ['API key', offer.apiKey],
    ['App id', `${offer.appId}    event: ${offer.eventName}`],
    ['Delivery', 'sandbox: every message is captured, nothing leaves this machine'],
    [
      'Data',
      `${offer.home}    logs in logs, passwords of the stores in ready.json; remove the folder to begin anew`,
    ],
    ['PostgreSQL', storeText(offer.databaseUrl, folders.database)],
    ['Redis', storeText(offer.redisUrl, folders.redis)],
    ['Processes', offer.processes.map(({ name, pid }) => `${name} ${pid}`).join(', ')],
  ];
}

function setUpRow(setUpUrl: string | undefined): [label: string, text: string][] {
  if (setUpUrl === undefined) return [];
  return [['Set up', `${setUpUrl}    once, within 30 minutes`]];
}

function storeText(url: string, folder: string | undefined): string {
  const shown = new URL(url);
  if (shown.password) shown.password = '***';
  return `${shown.href}    ${folder ? `a real server, its data in ${folder}` : 'as given'}`;
}

/** One line, without anything that a shell would read differently when it is pasted. */
export function tryLine({ apiUrl, apiKey, appId, eventName }: Offer): string {
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
