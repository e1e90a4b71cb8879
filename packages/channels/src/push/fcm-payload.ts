import { Type } from '@sinclair/typebox';

const text = Type.Optional(Type.String({ maxLength: 1_024 }));
const flag = Type.Optional(Type.Boolean());
const count = Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 }));
const closed = { additionalProperties: false } as const;

const androidNotification = Type.Object(
  {
    icon: text,
    color: text,
    sound: text,
    tag: text,
    click_action: text,
    channel_id: text,
    ticker: text,
    sticky: flag,
    local_only: flag,
    default_sound: flag,
    default_vibrate_timings: flag,
    notification_priority: text,
    visibility: text,
    notification_count: count,
  },
  closed,
);

const aps = Type.Object(
  {
    badge: count,
    sound: text,
    'thread-id': text,
    category: text,
    'mutable-content': count,
    'content-available': count,
    'interruption-level': text,
    'relevance-score': Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    'target-content-id': text,
  },
  closed,
);

const webNotification = Type.Object(
  {
    icon: text,
    badge: text,
    tag: text,
    image: text,
    lang: text,
    dir: text,
    renotify: flag,
    requireInteraction: flag,
    silent: flag,
    actions: Type.Optional(
      Type.Array(Type.Object({ action: text, title: text, icon: text }, closed), { maxItems: 4 }),
    ),
  },
  closed,
);

/** The platforms' own fields. Token, topic, title and body have their places elsewhere. */
export const fcmPayload = Type.Object(
  {
    android: Type.Optional(
      Type.Object(
        {
          collapse_key: text,
          priority: Type.Optional(Type.String({ pattern: '^(HIGH|NORMAL|high|normal)$' })),
          ttl: Type.Optional(Type.String({ pattern: '^\\d{1,8}(\\.\\d{1,9})?s$' })),
          restricted_package_name: text,
          direct_boot_ok: flag,
          notification: Type.Optional(androidNotification),
        },
        { title: 'Android', ...closed },
      ),
    ),
    apns: Type.Optional(
      Type.Object(
        {
          headers: Type.Optional(
            Type.Object(
              {
                'apns-priority': text,
                'apns-expiration': text,
                'apns-collapse-id': text,
                'apns-push-type': text,
              },
              closed,
            ),
          ),
          payload: Type.Optional(Type.Object({ aps: Type.Optional(aps) }, closed)),
        },
        { title: 'Apple', ...closed },
      ),
    ),
    webpush: Type.Optional(
      Type.Object(
        {
          headers: Type.Optional(Type.Object({ TTL: text, Urgency: text, Topic: text }, closed)),
          notification: Type.Optional(webNotification),
        },
        { title: 'Browsers', ...closed },
      ),
    ),
    fcm_options: Type.Optional(
      Type.Object({ analytics_label: text }, { title: 'Label of the statistics', ...closed }),
    ),
  },
  closed,
);
