import { Type } from '@sinclair/typebox';

const text = Type.Optional(Type.String({ maxLength: 1_024 }));
const flag = Type.Optional(Type.Boolean());
const count = Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 }));
const closed = { additionalProperties: false } as const;

/** An enum of FCM or Apple; they refuse a message with any other value. */
function createEnum(...words: string[]) {
  return Type.Optional(Type.Union(words.map((word) => Type.Literal(word))));
}

function createPatternText(pattern: string) {
  return Type.Optional(Type.String({ pattern }));
}

/**
 * At most four weeks: 2,419,200 s
 * (firebase.google.com/docs/reference/fcm/rest/v1/projects.messages).
 */
const upToFourWeeks =
  '^((\\d{1,6}|1\\d{6}|2[0-3]\\d{5}|240\\d{4}|241[0-8]\\d{3}|2419[01]\\d{2})(\\.\\d{1,9})?|2419200)s$';

const androidNotification = Type.Object(
  {
    icon: text,
    color: createPatternText('^#[0-9a-fA-F]{6}$'),
    sound: text,
    tag: text,
    click_action: text,
    channel_id: text,
    ticker: text,
    sticky: flag,
    local_only: flag,
    default_sound: flag,
    default_vibrate_timings: flag,
    notification_priority: createEnum(
      ...['PRIORITY_UNSPECIFIED', 'PRIORITY_MIN', 'PRIORITY_LOW'],
      ...['PRIORITY_DEFAULT', 'PRIORITY_HIGH', 'PRIORITY_MAX'],
    ),
    visibility: createEnum('VISIBILITY_UNSPECIFIED', 'PRIVATE', 'PUBLIC', 'SECRET'),
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
    dir: createEnum('auto', 'ltr', 'rtl'),
    renotify: flag,
    requireInteraction: flag,
    silent: flag,
    actions: Type.Optional(
      Type.Array(Type.Object({ action: text, title: text, icon: text }, closed), { maxItems: 4 }),
    ),
  },
  closed,
);

/** The platforms' own fields. Token, topic, title and body are set elsewhere. */
export const fcmPayload = Type.Object(
  {
    android: Type.Optional(
      Type.Object(
        {
          collapse_key: text,
          priority: Type.Optional(Type.String({ pattern: '^(HIGH|NORMAL|high|normal)$' })),
          ttl: createPatternText(upToFourWeeks),
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
                'apns-priority': createEnum('1', '5', '10'),
                'apns-expiration': createPatternText('^\\d{1,10}$'),
                // Apple's limit is 64 bytes, which is 64 ASCII characters.
                'apns-collapse-id': createPatternText('^[ -~]{1,64}$'),
                'apns-push-type': createEnum(
                  'alert',
                  'background',
                  'voip',
                  'complication',
                  'fileprovider',
                  'mdm',
                ),
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
          headers: Type.Optional(
            Type.Object(
              {
                TTL: createPatternText('^\\d{1,10}$'),
                Urgency: createEnum('very-low', 'low', 'normal', 'high'),
                Topic: createPatternText('^[A-Za-z0-9_-]{1,32}$'),
              },
              closed,
            ),
          ),
          notification: Type.Optional(webNotification),
        },
        { title: 'Browsers', ...closed },
      ),
    ),
    fcm_options: Type.Optional(
      Type.Object(
        { analytics_label: createPatternText('^[a-zA-Z0-9_.~%-]{1,50}$') },
        { title: 'Analytics label', ...closed },
      ),
    ),
  },
  closed,
);
