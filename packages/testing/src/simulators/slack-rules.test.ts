import { closeAll, closers, post } from './raw-calls.fixture';
import { createSlackSimulator } from './slack';

afterAll(closeAll);

// Each row is a valid call with one change.
describe('the simulator of Slack', () => {
  const valid = { channel: 'C0123456789', text: 'Hello' };
  const form = 'application/x-www-form-urlencoded';
  const plain = (text: string) => ({ type: 'plain_text', text });
  const mrkdwn = (text: string) => ({ type: 'mrkdwn', text });
  const section = (more: object) => ({ type: 'section', ...more });
  const button = (more: object) => ({ type: 'button', text: plain('Open'), ...more });
  const actions = (...elements: object[]) => ({ type: 'actions', elements });
  const withBlocks = (...blocks: object[]) => ({ ...valid, blocks: JSON.stringify(blocks) });
  const image = { type: 'image', image_url: 'https://x.example/a.png', alt_text: 'A' };
  const option = { text: plain('a'), value: 'a' };
  let url: string;

  beforeAll(async () => {
    const simulator = await createSlackSimulator();
    closers.push(simulator.close);
    url = simulator.url;
  });

  const call = (method: string, fields: Record<string, string>, headers = {}) =>
    post(url + method, {
      headers: { authorization: 'Bearer xoxb-0123456789', 'content-type': form, ...headers },
      body: new URLSearchParams(fields).toString(),
    });

  test.each<[string, Record<string, string>]>([
    ['a text', valid],
    ['40,000 characters', { ...valid, text: 'x'.repeat(40_000) }],
    ['50 blocks', withBlocks(...Array.from({ length: 50 }, () => ({ type: 'divider' })))],
    ['a section', withBlocks(section({ text: mrkdwn('x'.repeat(3_000)), fields: [plain('a')] }))],
    ['a button', withBlocks(actions(button({ url: 'https://x.example', style: 'primary' })))],
    ['a picture', withBlocks(image)],
    ['a block of an unknown type', withBlocks({ type: 'something_new', text: '' })],
    ['flags', { ...valid, unfurl_links: 'false', thread_ts: '1700000000.000001' }],
  ])('accepts %s', async (_what, fields) => {
    expect((await call('chat.postMessage', fields)).body).toMatchObject({ ok: true });
  });

  test.each<[string, Record<string, string>, string]>([
    ['no channel', { ...valid, channel: '' }, 'channel_not_found'],
    ['a channel by its name', { ...valid, channel: '#general' }, 'channel_not_found'],
    ['no text', { ...valid, text: '' }, 'no_text'],
    ['40,001 characters', { ...valid, text: 'x'.repeat(40_001) }, 'msg_too_long'],
    [
      'blocks that are not a list',
      { ...valid, blocks: '{"type":"divider"}' },
      'invalid_blocks_format',
    ],
    ['an invalid flag', { ...valid, unfurl_links: 'yes' }, 'invalid_arguments'],
    ['an invalid thread', { ...valid, thread_ts: '17' }, 'invalid_arguments'],
    [
      'metadata without a payload',
      { ...valid, metadata: '{"event_type":"a"}' },
      'invalid_metadata_format',
    ],
    ['an unknown argument', { ...valid, body: 'x' }, 'invalid_arguments'],
    [
      'blocks of 13,201 characters',
      withBlocks(...Array.from({ length: 5 }, () => section({ text: plain('x'.repeat(2_641)) }))),
      'msg_blocks_too_long',
    ],
  ])('refuses %s', async (_what, fields, error) => {
    expect((await call('chat.postMessage', fields)).body).toMatchObject({ ok: false, error });
  });

  test.each<[string, object[]]>([
    ['51 blocks', Array.from({ length: 51 }, () => ({ type: 'divider' }))],
    ['a block without a type', [{ text: plain('a') }]],
    ['an empty section', [section({})]],
    ['a section with an empty text', [section({ text: mrkdwn('') })]],
    ['a section of 3,001 characters', [section({ text: mrkdwn('x'.repeat(3_001)) })]],
    ['11 fields', [section({ fields: Array.from({ length: 11 }, () => plain('a')) })]],
    ['a field of 2,001 characters', [section({ fields: [plain('x'.repeat(2_001))] })]],
    ['a header of 151 characters', [{ type: 'header', text: plain('x'.repeat(151)) }]],
    ['a header in markup', [{ type: 'header', text: mrkdwn('a') }]],
    ['a picture without a description', [{ type: 'image', image_url: 'https://x.example/a.png' }]],
    ['a picture without a URL', [{ ...image, image_url: 'a.png' }]],
    ['an empty context', [{ type: 'context', elements: [] }]],
    [
      'a context of 11 elements',
      [{ type: 'context', elements: Array.from({ length: 11 }, () => plain('a')) }],
    ],
    ['an empty button', [actions(button({ text: plain('') }))]],
    ['76 characters of button', [actions(button({ text: plain('x'.repeat(76)) }))]],
    ['a button without a text', [actions({ type: 'button' })]],
    ['a button to nowhere', [actions(button({ url: '' }))]],
    ['an unknown style', [actions(button({ style: 'green' }))]],
    ['26 buttons', [actions(...Array.from({ length: 26 }, () => button({})))]],
    [
      'an overflow menu of 6 options',
      [actions({ type: 'overflow', options: Array.from({ length: 6 }, () => option) })],
    ],
    ['an option without a value', [actions({ type: 'overflow', options: [{ text: plain('a') }] })]],
    ['a block with an unknown field', [section({ text: plain('a'), colour: 'red' })]],
  ])('refuses %s', async (_what, blocks) => {
    expect((await call('chat.postMessage', withBlocks(...blocks))).body).toMatchObject({
      ok: false,
      error: 'invalid_blocks',
    });
  });

  test.each<[string, Record<string, string>, string]>([
    ['no token', { authorization: '' }, 'not_authed'],
    ['a token of another kind', { authorization: 'Bearer xapp-0123456789' }, 'invalid_auth'],
    ['another type', { 'content-type': 'text/plain' }, 'invalid_post_type'],
  ])('refuses %s', async (_what, headers, error) => {
    expect((await call('chat.postMessage', valid, headers)).body).toMatchObject({ error });
  });

  test('finds no user by an invalid address, and opens no conversation with an invalid user', async () => {
    const lookUp = await call('users.lookupByEmail', { email: 'ana' });
    const opened = await call('conversations.open', { users: 'ana' });
    expect([lookUp.body, opened.body]).toMatchObject([
      { error: 'users_not_found' },
      { error: 'user_not_found' },
    ]);
  });
});
