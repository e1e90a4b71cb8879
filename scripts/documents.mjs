// The generated documents: file to text. This module reads and writes nothing.
import { clientTypes } from './client-types.mjs';
import { code, list, page } from './markdown.mjs';
import { sandbox } from './sandbox-page.mjs';

export function createDocuments(code) {
  return {
    'apps/dashboard/src/api/README.md': dashboardApi(code),
    'docs/reference/api.md': api(code),
    'docs/reference/configuration.md': configuration(code),
    'docs/reference/errors.md': errors(code),
    'docs/reference/metrics.md': metrics(code),
    'docs/reference/sandbox.md': sandbox(code),
    'docs/reference/states.md': states(code),
    'packages/client/src/generated/version.ts': clientVersion(code),
    'packages/client/src/generated/wire.ts': clientTypes(code),
  };
}

function clientVersion({ version }) {
  return `// Made from package.json by \`npm run docs\`: change it there.\n\nexport const version = '${version}';\n`;
}

const groups = {
  stores: 'Stores',
  security: 'Security',
  gateway: 'Gateway',
  dashboard: 'Dashboard',
  worker: 'Worker',
  logging: 'Logging',
  traces: 'Traces',
};

function configuration({ settings, listAppSettings, listValues }) {
  const all = Object.entries(settings);
  const sections = Object.entries(groups).flatMap(([group, title]) => [
    `## ${title}`,
    list(all.filter(([, setting]) => setting.group === group).map(describeSetting)),
  ]);
  const ungrouped = all.filter(([, { group }]) => !(group in groups)).map(([name]) => name);
  if (ungrouped.length > 0) throw new Error(`No section for ${ungrouped.join(', ')}`);
  return page('Configuration', 'packages/runtime/src/*settings.ts', [
    'Every setting is an environment variable. A process reads its settings once, at startup. Values are trimmed; an empty ' +
      'value is treated as unset. If settings are missing or invalid, the process lists them on standard error and exits ' +
      'with code 78. In parentheses: default, values, and the processes that read it.',
    '`api` is the gateway, `worker` every worker role, and `cli` the `belfry` commands. `npm start` sets what it needs and passes ' +
      'all other variables on to the processes it starts.',
    ...sections,
    '## Settings of an app',
    'These are not environment variables: each app has its own. Set them in the dashboard (_Apps_) or with ' +
      '`belfry app set APP_ID SETTING VALUE`; `belfry app show APP_ID` prints them. The gateway applies a change within ' +
      '`LOOKUP_CACHE_MS`. The audit log records every change.',
    list(
      listAppSettings().map(([, setting]) =>
        [
          `${code(setting.name)} (${listValues(setting).map(code).join(', ')}; default ${code(String(setting.default ?? 'none'))}), ` +
            `_${setting.title}_: ${setting.help}`,
          ...formatChoices(setting),
        ].join(' '),
      ),
    ),
  ]);
}

function formatChoices({ choices = [] }) {
  return choices.map(({ value, hint }) => `${code(value)}: ${hint}`);
}

function describeSetting([name, setting]) {
  const facts = [
    setting.isRequired ? formatRequired(setting) : formatDefault(setting),
    formatValues(setting),
    setting.for.join(', '),
  ];
  const sentences = [
    setting.help,
    setting.isSecret ? 'Secret.' : '',
    hasOwnExample(setting) ? `Example: ${code(setting.example)}.` : '',
  ];
  return `${code(name)} (${facts.filter(Boolean).join('; ')}): ${sentences.filter(Boolean).join(' ')}`;
}

function hasOwnExample({ example, default: value }) {
  return example !== undefined && example !== String(value ?? '');
}

function formatRequired({ isOptionalFor = [] }) {
  return ['**required**', ...isOptionalFor.map((name) => `optional for ${name}`)].join(', ');
}

function formatDefault(setting) {
  if (setting.default === undefined || setting.default === '') return 'unset';
  return code(String(setting.default));
}

function formatValues(setting) {
  if (setting.kind === 'integer') return `${setting.minimum}–${setting.maximum}`;
  return setting.kind === 'oneOf' ? setting.values.map(code).join(', ') : '';
}

function api({ operations }) {
  return page('API', 'apps/api/src/routes', [
    'The gateway serves the full reference, with schemas and examples, at `/docs`, and the same as OpenAPI 3 at `/openapi.json`. ' +
      'TypeScript callers can use [the client](../../packages/client/README.md).',
    list(
      operations.map(
        ({ method, path, summary }) =>
          `${code(`${method.toUpperCase()} ${path.replace('/v1/apps/{app_id}', '')}`)}: ${summary}`,
      ),
    ),
    'Every path starts with `/v1/apps/{app_id}`. An API key is sent as `Authorization: AuthKey <API key>`. A front end sends a token ' +
      'or a signature of its user instead, on the paths of [the inbox](inbox.md), on those that end in `/sdk`, and for topics. Browsers need nothing for ' +
      '`push/web_push_key`, `push/status` and `in_app/status`. Every POST with an API key accepts an ' +
      '[`Idempotency-Key`](../explanation/idempotency.md). Errors have [one shape](errors.md).',
    '`POST /events/send?dry_run=true` returns what a send would do, per channel, and stores nothing. It ignores the ' +
      '`Idempotency-Key`. `X-Belfry-Version` on every response is the version of the gateway.',
  ]);
}

function dashboardApi({ contract }) {
  return page('The JSON API of the dashboard', 'contract.ts', [
    'The page uses this API. It is not public: it changes with the page. Every path is relative to the base URL of the page, so that ' +
      'the dashboard works under any host, port and sub-path: request `api/session`, never `/api/session`.',
    'Bodies are JSON of at most 1 MB, and 16 per account at once; without a session up to 16 KB. Times are Unix milliseconds, channels ' +
      'have their wire names (`in_app`), absent values are null. Every answer other than 2xx has the body `Problem` of ' +
      '`problem.ts`. 401 `signed_out` on any route means that the session ended. Resources of another account answer 404 `not_found`.',
    'A session is a cookie. _Role_ is the least role that may call a route; `anyone` needs no session. Then: members of query and body, and the audit entry. Every changing call needs the ' +
      'header `Origin` of the dashboard. The schemas of queries, bodies and answers are beside this file.',
    list(
      Object.entries(contract).map(([route, { access, query, body, audit = [] }]) => {
        const facts = [
          access,
          formatMembers('query', query),
          formatMembers('body', body),
          [audit].flat().join(', '),
        ];
        return `${code(route)} (${facts.filter(Boolean).join('; ')})`;
      }),
    ),
    '`belfry operator reset` prints `<dashboard>/invitations/<token>`, and both `set-up` routes accept that token. Invitation links are ' +
      '`<dashboard>/join#<token>`; the set-up link of `npm start` is `<dashboard>/set-up#<token>`. The token stays in the browser until it is posted.',
  ]);
}

function formatMembers(part, { properties = {}, required = [] } = {}) {
  const names = Object.keys(properties).map((name) =>
    required.includes(name) ? name : `${name}?`,
  );
  return names.length > 0 ? `${part} ${names.join(', ')}` : '';
}

function metrics({ metricFamilies, messageStages }) {
  return page('Metrics', 'packages/runtime/src/metrics.ts', [
    'Prometheus text format at `/metrics`, on `METRICS_PORT` of a gateway and `WORKER_PORT` of a worker. Probes are `/livez` and `/readyz`, on ' +
      'the API port of a gateway and on `WORKER_PORT`. No label names a user, a recipient, a request or an account.',
    list(metricFamilies.map(({ name, type, help }) => `${code(name)} (${type}): ${help}`)),
    '[Watch with Prometheus](../how-to/watch-with-prometheus.md) has alerts and a board. `belfry_storage_*` and ' +
      '`belfry_integrations_needing_attention` exist only in workers with the role `relay`. `belfry_storage_*` have values only while an account ' +
      'has a [storage limit](../how-to/limit-storage.md).',
    '## Stages of a message',
    '`belfry_message_stage_seconds` has one observation per message and stage. Gateways have the first two stages, for single sends; workers have ' +
      'the others.',
    list(Object.entries(messageStages).map(([stage, text]) => `${code(stage)}: ${text}`)),
  ]);
}

function errors({ errorCatalogue }) {
  const example = {
    success: false,
    error: 'event not found',
    code: 'event_not_found',
    request_id: '0199b1f4-8f2a-7c3e-9d51-3a1f0c6b7e42',
  };
  return page('Errors', 'packages/shared/src/errors.ts', [
    'Every error on every route is one flat JSON object:',
    ['```json', JSON.stringify(example, null, 2), '```'].join('\n'),
    '`code` is for programs and never changes within `/v1`. `error` is a sentence for people and may change. `request_id` is the ID of ' +
      'the call. The `X-Request-Id` header and the log lines of the gateway have it, too. Only `validation_failed` adds `errors`: every problem of the body, in ' +
      'order; after 20 entries, a last entry counts the rest.',
    ...listByStatus(errorCatalogue).flatMap(([status, entries]) => [
      `## ${status}`,
      // Two underscores would start bold text.
      list(entries.map(([slug, { when }]) => `${code(slug)}: ${when.replaceAll('__', '\\_\\_')}`)),
    ]),
  ]);
}

function listByStatus(errorCatalogue) {
  const entries = Object.entries(errorCatalogue);
  const statuses = [...new Set(entries.map(([, { status }]) => status))].sort((a, b) => a - b);
  return statuses.map((status) => [status, entries.filter(([, entry]) => entry.status === status)]);
}

function states({ messageStates, countedAs, queueReasons, skipReasons, failureReasons }) {
  const reasons = (catalogue) =>
    list(Object.entries(catalogue).map(([reason, means]) => `${code(reason)}: ${means}`));
  return page('States of a message', 'packages/shared/src/message-state.ts', [
    'A message is one item of a request, on one channel, to one address. ' +
      '[Architecture](../explanation/architecture.md#states) shows the transitions.',
    list(
      Object.entries(messageStates).map(([state, { isFinal, means }]) => {
        const facts = [isFinal ? 'final' : 'open', `counted as ${code(countedAs[state])}`];
        return `${code(state)} (${facts.join(', ')}): ${means}`;
      }),
    ),
    '## Why a queued message waits',
    reasons(queueReasons),
    '## Why a message was skipped',
    'A channel without a message has one of these reasons, too. A provider can answer `opted_out` and `device_gone`.',
    reasons(skipReasons),
    '## Why a message failed',
    reasons(failureReasons),
  ]);
}
