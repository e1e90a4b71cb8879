// The documents that are made from the code: file to text. Nothing is read or written here.
import { clientTypes } from './client-types.mjs';

export function createDocuments(code) {
  return {
    'docs/configuration.md': configuration(code),
    'docs/errors.md': errors(code),
    'docs/sandbox.md': sandbox(code),
    'docs/states.md': states(code),
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
};

function configuration({ settings, listAppSettings, listValues }) {
  const all = Object.entries(settings);
  const sections = Object.entries(groups).flatMap(([group, title]) => [
    `## ${title}`,
    table(
      ['variable', 'default', 'required', 'read by', 'meaning', 'example'],
      all.filter(([, setting]) => setting.group === group).map(settingRow),
    ),
  ]);
  const missed = all.filter(([, { group }]) => !(group in groups)).map(([name]) => name);
  if (missed.length > 0) throw new Error(`No section for ${missed.join(', ')}`);
  return page('Configuration', 'packages/runtime/src/settings.ts', [
    'Every setting is an environment variable. A process reads its own when it starts, and never again. Blanks around a ' +
      'value are dropped, and an empty value counts as none. When something is missing or wrong, the process names all of it ' +
      'at once on standard error and exits with 78.',
    'The processes are `api` (the gateway), `worker` (every role of it), `dashboard` and `cli` (commands that run once). `npm start` sets ' +
      'what it must and hands everything else on to the processes that it starts.',
    ...sections,
    '## Settings of an app',
    'These are no environment variables: each app has its own. Set them in the dashboard (_Apps_, _Change_), or with ' +
      '`belfry app set APP_ID SETTING VALUE`; `belfry app show APP_ID` prints them. The gateway follows within `LOOKUP_CACHE_MS`, ' +
      'and the audit has every change.',
    table(
      ['setting', 'values', 'default', 'in the dashboard', 'meaning'],
      listAppSettings().map(([, setting]) => [
        code(setting.name),
        listValues(setting).map(code).join(', '),
        code(String(setting.default ?? 'none')),
        setting.title,
        [setting.help, ...choicesOf(setting)].join(' '),
      ]),
    ),
  ]);
}

function choicesOf({ choices = [] }) {
  return choices.map(({ value, hint }) => `${code(value)}: ${hint}`);
}

function settingRow([name, setting]) {
  return [
    code(name),
    defaultOf(setting),
    setting.isRequired ? 'yes' : 'no',
    setting.for.map(code).join(', '),
    [setting.help, rangeOf(setting), setting.isSecret ? 'Secret.' : ''].filter(Boolean).join(' '),
    setting.example === undefined ? '' : code(setting.example),
  ];
}

function defaultOf(setting) {
  if (setting.default === undefined || setting.default === '') return 'none';
  return code(String(setting.default));
}

function rangeOf(setting) {
  if (setting.kind === 'integer') return `From ${setting.minimum} to ${setting.maximum}.`;
  if (setting.kind === 'oneOf') return `One of ${setting.values.map(code).join(', ')}.`;
  return setting.kind === 'boolean' ? '`true` or `false`.' : '';
}

function errors({ errorCatalogue }) {
  const example = {
    success: false,
    error: 'event not found',
    code: 'event_not_found',
    request_id: '0199b1f4-8f2a-7c3e-9d51-3a1f0c6b7e42',
  };
  return page('Errors', 'packages/shared/src/errors.ts', [
    'Every error, on every route, is one flat JSON object:',
    ['```json', JSON.stringify(example, null, 2), '```'].join('\n'),
    '`error` is a sentence for people and may change. `code` is for programs and does not change within `/v1`. `errors` stands ' +
      'there only with `validation_failed`: it lists every problem of the body in its order, and after 20 of them a last entry counts the others. `request_id` is the id of the call; ' +
      'the header `X-Request-Id` and the logs have the same one.',
    table(
      ['status', 'code', 'when'],
      // Two underscores would begin bold text.
      Object.entries(errorCatalogue).map(([slug, { status, when }]) => [
        status,
        code(slug),
        when.replaceAll('__', '\\_\\_'),
      ]),
    ),
  ]);
}

function states({ messageStates, countedAs, skipReasons, failureReasons }) {
  const reasons = (list) =>
    table(
      ['reason', 'means'],
      Object.entries(list).map(([reason, means]) => [code(reason), means]),
    );
  return page('States of a message', 'packages/shared/src/message-state.ts', [
    'A message is one item of a request on one channel to one target. It is always in exactly one of these states. ' +
      'How it moves between them is told in [architecture.md](architecture.md#states).',
    table(
      ['state', 'final', 'counted as', 'means'],
      Object.entries(messageStates).map(([state, { isFinal, means }]) => [
        code(state),
        isFinal ? 'yes' : 'no',
        code(countedAs[state]),
        means,
      ]),
    ),
    '## Why a message was skipped',
    'The same reasons say why a channel of an item has no message at all.',
    reasons(skipReasons),
    '## Why a message failed',
    reasons(failureReasons),
  ]);
}

function sandbox({ channels, magicBehaviours, listMagicRecipients }) {
  const [anyWord] = Object.keys(magicBehaviours);
  const names = Object.keys(listMagicRecipients(anyWord, channels));
  return page('The sandbox', 'packages/channels/src/sandbox.ts', [
    'An app in sandbox delivery sends nothing. What the real provider would have been sent is stored as a capture, once an ' +
      'attempt, and the attempt is accepted. The app that `npm start` makes is in sandbox delivery. Of an app the newest 500 ' +
      'captures are kept, for 7 days.',
    'The page _Sandbox_ of the [dashboard](dashboard.md) shows them as they would look, with the call that the provider would ' +
      'have got. A test asks for them: `GET /v1/apps/{app_id}/sandbox/wait` answers as soon as there is one that matches, and ' +
      '[testing with Belfry](testing-with-belfry.md) shows how.',
    table(
      ['parameter', 'means'],
      [
        [code('channel'), 'only of this channel'],
        [
          code('to'),
          'only to this address, a phone number in any spelling; a `user_id` for `in_app`',
        ],
        [code('request_id'), 'only of this request'],
        [code('after'), 'only what was captured since the answer that had this as its `next`'],
        [code('count'), 'how many to wait for: 1 unless told otherwise, at most 100'],
        [code('timeout'), 'seconds: 10 unless told otherwise, at most 30; 0 looks once'],
      ],
    ),
    'All of them may be left out. The answer is `{"messages": [...], "next": "..."}`, newest first; when the time is over, what ' +
      'there is, so perhaps nothing. Reading takes nothing away. Of an account 20 calls may wait at once; the next one is ' +
      'answered 429. Of a [sensitive event](decisions/0044-what-a-sensitive-event-leaves.md) the words are not kept, in the ' +
      'sandbox neither: try such an event in an app where it is not marked so.',
    '## Magic recipients',
    'These recipients behave in another way, so that a failure can be tried. On e-mail only what stands before the @ counts.',
    table(
      [...names.map((name) => channels[name].label), 'the message'],
      Object.entries(magicBehaviours).map(([word, { sentence }]) => [
        ...names.map((name) => code(listMagicRecipients(word, channels)[name])),
        sentence,
      ]),
    ),
  ]);
}

function page(title, source, parts) {
  return `${[
    `# ${title}`,
    `<!-- Made from ${source} by \`npm run docs\`: change it there. -->`,
    ...parts,
  ].join('\n\n')}\n`;
}

/** Aligned, as the formatter does it. */
function table(head, rows) {
  const all = [head, ...rows].map((cells) => cells.map(cell));
  const widths = head.map((_, column) => Math.max(3, ...all.map((cells) => cells[column].length)));
  const line = (cells) => `| ${cells.map((text, at) => text.padEnd(widths[at])).join(' | ')} |`;
  const rule = line(widths.map((width) => '-'.repeat(width)));
  const [first, ...others] = all.map(line);
  return [first, rule, ...others].join('\n');
}

function cell(value) {
  return String(value).replaceAll('|', '\\|').replaceAll('\n', ' ');
}

function code(text) {
  return `\`${text}\``;
}
