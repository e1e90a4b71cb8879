import { call, type HttpAnswer } from '../attacks/http-call';
import type { Random } from '../chaos/random';
import { channelVersion } from '../factories';
import { createKind, type KindReport, recordTrial } from './report';
import type { Program, World } from './world';

/** Delimiters of tags, quotes and references in every markup. */
const tokens = (
  '<b> </b> <b><i> <a\u00a0href=" "> < > <!-- --> <![CDATA[ <pre><code\u00a0class="language- &lt &amp; & {{ }} {{{ }}} ' +
  '{{#if\u00a0a}} {{/if}} {{else}} {{else\u00a0if\u00a0a}} {{a.b}} {{[ ]}} {{! {{!-- \\{{ ( ) (and\u00a0a [ ] " \' \\ | ` * _ ~ ' +
  '<@ <# <http://a| > :a: \u0000 \u200b \ud800 🎉 \t \r\n'
)
  .split(' ')
  .map((token) => token.replaceAll('\u00a0', ' '));
const fields = {
  telegram: (text: string) => ({ text }),
  email: (text: string) => ({ subject: 'x', html: text, text }),
  slack: (text: string) => ({
    text,
    blocks: `[{"type":"section","text":${JSON.stringify(text)}}]`,
  }),
  sms: (text: string) => ({ text }),
  push: (text: string) => ({ title: text, body: text, click_action: text }),
} as const;
const mostCharacters = 64 * 1024;
const languages = 4;

/** Markup of tokens that are hard to parse, at the maximum length of a field, in several languages. */
export async function runMarkup(world: World, random: Random, count: number): Promise<KindReport> {
  const kind = createKind('S7', 'dashboard: a check of generated markup');
  const { eventId } = await world.factories.createEvent(world.attacker, {
    sms: channelVersion({ text: 'x' }),
  });
  for (let index = 0; index < count && !world.isAborted(); index += 1) {
    const pieces = Array.from({ length: random.between(1, 4) }, () => random.pick(tokens));
    const piece = pieces.join('');
    const text = piece.repeat(Math.floor((mostCharacters - 8) / piece.length));
    const channel = random.pick(Object.keys(fields) as (keyof typeof fields)[]);
    const templates = Object.fromEntries(
      Array.from({ length: languages }, (_, number) => [`en-x${number}`, fields[channel](text)]),
    );
    const version = { ...channelVersion({}), templates };
    const definition = {
      ...{ defaultLocale: 'en-x0', missing: 'empty', isSensitive: false },
      channels: { [channel]: version },
    };
    const path = `/api/apps/${world.attacker.appId}/events/${eventId}/check`;
    await measure(
      kind,
      world,
      { program: 'dashboard', what: `${channel} ${JSON.stringify(piece)}` },
      () => world.browser.send('POST', path, { definition }),
    );
  }
  return kind;
}

type Subject = { program: Program; what: string };

async function measure(
  kind: KindReport,
  world: World,
  { program, what }: Subject,
  request: () => Promise<HttpAnswer>,
): Promise<void> {
  const watched = world.programs[program];
  await watched.read();
  const answer = await request().catch((error: unknown) => ({ status: 0, text: String(error) }));
  // A body of 1 MB is read, parsed and checked: that may take as long as a template may.
  recordTrial(kind, await watched.read(), what);
  if (answer.status === 0 || answer.status >= 500) {
    kind.problems.push(`${what}: ${answer.status} ${answer.text.slice(0, 200)}`);
  }
}

const mostNameCharacters = 900_000;
/** Endings on which patterns of names, addresses, IDs and dates may backtrack. */
const units = [
  'a',
  ' ',
  '\t',
  'a ',
  'a@',
  '@',
  '.',
  'a.',
  '-',
  '1',
  '1.',
  '+1',
  'é',
  '/',
  ',',
  '<',
  '0',
];
const ends = ['', '\n', '!', ' ', '\u0001', '@', '"'];

/** Long texts in every member of bodies that people and callers send. */
export async function runPatterns(
  world: World,
  random: Random,
  count: number,
): Promise<KindReport> {
  const kind = createKind('S7', 'dashboard and gateway: long names, addresses and IDs');
  const { appId } = world.attacker;
  const targets = [...listForms(appId), ...listCalls(world)];
  for (let index = 0; index < count && !world.isAborted(); index += 1) {
    const target = targets[index % targets.length];
    if (!target) break;
    const [unit, end] = [random.pick(units), random.pick(ends)];
    const characters = Math.floor(mostNameCharacters ** (0.5 + random.next() / 2));
    const text = unit.repeat(Math.ceil(characters / unit.length)) + end;
    const what = `${target.what} ${JSON.stringify(unit)} × ${characters} ${JSON.stringify(end)}`;
    await measure(kind, world, { program: target.program, what }, () =>
      target.request(world, text),
    );
  }
  return kind;
}

type TextTarget = Subject & { request(world: World, text: string): Promise<HttpAnswer> };

function listForms(appId: string): TextTarget[] {
  const form = (path: string, fill: (text: string) => unknown): TextTarget => ({
    program: 'dashboard',
    what: path,
    request: ({ browser }, text) => browser.send('POST', path, fill(text)),
  });
  const at = `/api/apps/${appId}`;
  const password = 'a sentence of her own';
  return [
    form('/api/apps', (name) => ({ name })),
    form(`${at}/filters`, (name) => ({ name, filters: {} })),
    form(`${at}/filters`, (event) => ({ name: 'x', filters: { event, recipient: event } })),
    form(`${at}/events`, (name) => ({ name })),
    form(`${at}/suppressions`, (target) => ({ channel: 'email', target, reason: target })),
    form(`${at}/resends`, (event) => ({ filters: { event }, pace: event })),
    ...['host', 'from', 'reply_to'].map((name) =>
      form(`${at}/integrations`, (text) => ({
        ...{ channel: 'email', provider: 'smtp', name: text, credentials: { user: text } },
        settings: { host: 'x', port: 1, from: { address: text }, [name]: text },
      })),
    ),
    form(`${at}/integrations`, (text) => ({
      ...{ channel: 'sms', provider: 'twilio', name: text, settings: { sender: text } },
      credentials: { account_sid: text, auth_token: text, api_key_sid: text },
    })),
    form('/api/people/invitations', (email) => ({ email, role: 'viewer', password })),
    form('/api/session', (email) => ({ email, password: email })),
    form('/api/set-up', (token) => ({ token, email: token, password })),
  ];
}

function listCalls(world: World): TextTarget[] {
  const { appId, apiKey } = world.attacker;
  const post = (path: string, fill: (text: string) => unknown): TextTarget => ({
    program: 'gateway',
    what: path,
    request: ({ programs }, text) =>
      call(programs.gateway.url, `/v1/apps/${appId}/${path}`, {
        method: 'POST',
        headers: { authorization: `AuthKey ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(fill(text)),
      }),
  });
  const sendWith = (user: (text: string) => object) =>
    post('events/send', (text) => ({ event: 'none', user: user(text) }));
  return [
    post('events/send', (event) => ({ event, user: { user_id: event } })),
    sendWith((text) => ({ email: text, mobile: text, whatsapp_mobile: text })),
    sendWith((text) => ({ slack: { channel_id: text, email: text }, telegram: { chat_id: text } })),
    sendWith((text) => ({ preferences: { locale: text, channels: { [text]: true } } })),
    post('events/send', (text) => ({ event: 'none', user: {}, schedule_at: text, locale: text })),
    post('users', (text) => ({ user_id: text, email: text, mobile: text })),
  ];
}
