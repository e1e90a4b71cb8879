import { TemplateError } from '@belfry/shared';
import type { ComposeInput } from '../channel';
import { push } from './channel';
import { createFcmRequest } from './fcm-request';
import type { PushContent, PushOverride, PushTemplate } from './template';

const messageId = '01930000-0000-7000-8000-000000000001';

function compose(
  template: PushTemplate,
  input: Partial<ComposeInput<PushOverride>> = {},
): ReturnType<ReturnType<typeof push.compile>['compose']> {
  return push.compile(template).compose({
    data: {},
    target: 'token:1',
    override: undefined,
    missing: 'empty',
    isSensitive: false,
    ...input,
  });
}

function getContent(...args: Parameters<typeof compose>): PushContent {
  const composed = compose(...args);
  if ('failed' in composed) throw new Error(composed.detail);
  return composed.content;
}

function createMessage(content: PushContent, more: object = {}) {
  return createFcmRequest({ messageId, target: 'token:1', content, settings: {}, ...more }).message;
}

const everything: PushTemplate = {
  title: 'Order {{id}}',
  body: 'It is {{state}}.',
  image: 'https://x.example/{{id}}.png',
  click_action: 'https://x.example/orders/{{id}}',
  data: { order: '{{id}}', state: '{{state}}' },
};

describe('a push', () => {
  test('has title, body, image, link, and data with the message’s ID', () => {
    const content = getContent(everything, { data: { id: 'A-1', state: 'here' } });
    expect(createMessage(content)).toEqual({
      token: 'token:1',
      notification: { title: 'Order A-1', body: 'It is here.', image: 'https://x.example/A-1.png' },
      data: {
        order: 'A-1',
        state: 'here',
        click_action: 'https://x.example/orders/A-1',
        raven_notification_id: messageId,
      },
      android: { priority: 'HIGH', notification: { tag: messageId } },
      apns: {
        headers: { 'apns-collapse-id': messageId, 'apns-priority': '10' },
        payload: { aps: { sound: 'default', 'mutable-content': 1 } },
        fcm_options: { image: 'https://x.example/A-1.png' },
      },
      webpush: {
        headers: { Urgency: 'high' },
        notification: { tag: messageId },
        fcm_options: { link: 'https://x.example/orders/A-1' },
      },
    });
  });

  test('as a data message shows nothing itself, and has everything in the data', () => {
    const content = getContent(
      { ...everything, data_only: true },
      { data: { id: 'A-1', state: 'here' } },
    );
    const message = createMessage(content);
    expect(message).not.toHaveProperty('notification');
    expect(message).toMatchObject({
      data: {
        title: 'Order A-1',
        body: 'It is here.',
        image: 'https://x.example/A-1.png',
        click_action: 'https://x.example/orders/A-1',
        order: 'A-1',
        raven_notification_id: messageId,
      },
      apns: { headers: { 'apns-push-type': 'background', 'apns-priority': '5' } },
    });
  });

  test.each([
    [
      'firebase/firebase-admin-node#102',
      { n: 1, o: { a: [true, null] } },
      { n: '1', o: '{"a":[true,null]}' },
    ],
    ['firebase/firebase-admin-node#1094', { flag: false, zero: 0 }, { flag: 'false', zero: '0' }],
    ['firebase/firebase-admin-node#424', { list: ['a', 1] }, { list: '["a",1]' }],
    ['firebase/firebase-admin-node#2548', { gone: null, here: '' }, { here: '' }],
  ])('has only text in its data, and leaves out null: %s', (_report, data, texts) => {
    const { data: composedData } = getContent({ title: 'T' }, { override: { message: { data } } });
    expect(composedData).toEqual(texts);
  });

  test.each([
    ['novuhq/novu#2797', `R&D "it's" &amp; <b>`, `R&D "it's" &amp; <b>`],
    ['an object', { a: 1 }, '{"a":1}'],
    ['a missing value', undefined, ''],
  ])('prints values unescaped: %s', (_report, v, printed) => {
    const data = v === undefined ? {} : { v };
    expect(
      getContent({ title: 'T', body: 'B {{v}}', data: { key: '{{v}}' } }, { data }),
    ).toMatchObject({
      body: `B ${printed}`.trimEnd() === 'B' ? 'B ' : `B ${printed}`,
      data: printed === '' ? {} : { key: printed },
    });
  });

  test('is empty without title and body, unless it is a data message', () => {
    expect(compose({ title: ' {{no}} ', body: '\n' })).toMatchObject({ failed: 'empty_content' });
    expect(compose({ data: { a: 'b' } })).toMatchObject({ failed: 'empty_content' });
    expect(getContent({ data: { a: 'b' }, data_only: true })).toMatchObject({ data: { a: 'b' } });
  });

  // firebase/firebase-admin-go#580, binwiederhier/ntfy#84, reown-com/push-server#346
  test.each([
    ['a device', 'token:1', 4_096],
    ['a topic', '/topics/news', 2_048],
  ])(
    'to %s is refused over the limit of FCM, which the failure names, before it is sent',
    (_what, target, limit) => {
      const fixed =
        'title'.length + 'T'.length + 'body'.length + 'raven_notification_id'.length + 36;
      const availableBytes = limit - fixed;
      const template = { title: 'T', body: '{{v}}' };
      // Two bytes each, so counting characters would be wrong.
      const text = 'é'.repeat(Math.floor(availableBytes / 2)) + 'x'.repeat(availableBytes % 2);
      expect(compose(template, { target, data: { v: text } })).toMatchObject({
        notes: { bytes: limit },
      });
      expect(compose(template, { target, data: { v: `${text}x` } })).toEqual({
        failed: 'too_long',
        detail: `The message: ${limit + 1} bytes of keys and values; the limit is ${limit}.`,
      });
    },
  );

  test.each(['from', 'google.x', 'gcm.n', 'message_type', 'GCM.N'])(
    'cannot use %s as a key, from the template or the call',
    (key) => {
      expect(() => push.compile({ title: 'T', data: { [key]: 'x' } })).toThrow(TemplateError);
      const override = { message: { data: { [key]: 'x' } } };
      expect(compose({ title: 'T' }, { override })).toMatchObject({ failed: 'rejected_content' });
    },
  );

  test('keeps its own ID, even if the call sets that key', () => {
    const override = { message: { data: { raven_notification_id: 'mine' } } };
    const { data } = createMessage(getContent({ title: 'T' }, { override }));
    expect(data).toEqual({ raven_notification_id: messageId });
  });
});

describe('a link of a push', () => {
  test.each(['https://x.example/a?b=c', 'shop://orders/7', '/orders/7', 'OPEN_ORDER'])(
    'may be %s',
    (link) => {
      const content = getContent({ title: 'T', click_action: '{{link}}' }, { data: { link } });
      expect(content.click_action).toBe(link);
    },
  );

  test.each(['javascript:alert(1)', ' JaVa\tScript:x', 'data:text/html,x', 'file:///etc/passwd'])(
    'may not be %j, from the template, a value or the call',
    (link) => {
      expect(() => push.compile({ title: 'T', click_action: link })).toThrow(TemplateError);
      const rejection = { failed: 'rejected_content' };
      expect(compose({ title: 'T', click_action: '{{link}}' }, { data: { link } })).toMatchObject(
        rejection,
      );
      const override = { message: { click_action: link } };
      expect(compose({ title: 'T' }, { override })).toMatchObject(rejection);
    },
  );

  test('opens in a browser only with https, as FCM requires', () => {
    const { webpush } = createMessage(getContent({ title: 'T', click_action: 'http://x.example' }));
    expect(webpush).not.toHaveProperty('fcm_options');
  });

  test.each(['/a.png', 'ftp://x/a.png', 'x'])('an image may not be %s', (image) => {
    expect(compose({ title: 'T', image: '{{image}}' }, { data: { image } })).toMatchObject({
      failed: 'rejected_content',
    });
  });
});

describe('the payload of a call', () => {
  test('sets platform fields next to ours, and never the recipient', () => {
    const payload = {
      android: { ttl: '60s', notification: { channel_id: 'orders', tag: 'order-7' } },
      apns: { payload: { aps: { badge: 3 } } },
    };
    expect(createMessage(getContent({ title: 'T' }), { payload })).toMatchObject({
      token: 'token:1',
      android: {
        priority: 'HIGH',
        ttl: '60s',
        notification: { channel_id: 'orders', tag: 'order-7' },
      },
      apns: { payload: { aps: { sound: 'default', badge: 3 } } },
    });
    for (const hostile of [{ token: 'eve' }, { topic: 'all' }, { android: { evil: 1 } }]) {
      expect(createMessage(getContent({ title: 'T' }), { payload: hostile })).toEqual(
        createMessage(getContent({ title: 'T' })),
      );
    }
  });
});

describe('a push to a web push subscription', () => {
  const target = 'https://push.example.net/send/abc';
  const frame = JSON.stringify({ title: '', raven_notification_id: messageId }).length;

  // RFC 8291, section 4
  test('may have 3,993 bytes as JSON, whatever FCM would count', () => {
    const size = 3_993 - frame;
    const longest = compose({ title: '{{v}}' }, { target, data: { v: 'x'.repeat(size) } });
    expect(longest).toMatchObject({ notes: { bytes: 3_993 } });
    expect(compose({ title: '{{v}}' }, { target, data: { v: `${'x'.repeat(size)}x` } })).toEqual({
      failed: 'too_long',
      detail: 'The message: 3994 bytes as JSON; the limit is 3993.',
    });
    // FCM counts no quotes around names and values.
    expect(compose({ title: '{{v}}' }, { data: { v: `${'x'.repeat(size)}x` } })).toHaveProperty(
      'content',
    );
  });

  test('counts escapes and the bytes of other scripts', () => {
    const count = (v: string) => compose({ title: '{{v}}' }, { target, data: { v } });
    expect(count('a')).toMatchObject({ notes: { bytes: frame + 1 } });
    expect(count('"')).toMatchObject({ notes: { bytes: frame + 2 } });
    expect(count('ü')).toMatchObject({ notes: { bytes: frame + 2 } });
    expect(count('😀')).toMatchObject({ notes: { bytes: frame + 4 } });
  });
});
