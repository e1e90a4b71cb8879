import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { IntegrationInput } from '../channel';
import { showsLastFour } from '../credential-marks';
import { maxPerSecondSetting } from '../rate';

const uuid = '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$';

export const onesignalSettings = Type.Object({
  app_id: Type.String({
    title: 'App id',
    description: 'From the app settings, under "Keys & IDs".',
    pattern: uuid,
  }),
  max_per_second: maxPerSecondSetting(),
});

export const onesignalCredentials = Type.Object({
  rest_api_key: Type.String({
    title: 'App API key',
    description: 'The app API key, not the organization key.',
    minLength: 1,
    maxLength: 512,
    ...showsLastFour,
  }),
});

const text = Type.Optional(Type.String({ maxLength: 1_024 }));
const count = Type.Optional(Type.Integer({ minimum: 0, maximum: 2_419_200 }));

/** Must not select recipients: a segment next to the person would reach everybody. */
export const onesignalPayload = Type.Object(
  {
    subtitle: Type.Optional(
      Type.Record(
        Type.String({ pattern: '^[a-zA-Z-]{2,10}$' }),
        Type.String({ maxLength: 1_024 }),
        {
          maxProperties: 20,
        },
      ),
    ),
    ttl: count,
    priority: Type.Optional(Type.Integer({ minimum: 1, maximum: 10 })),
    collapse_id: Type.Optional(Type.String({ maxLength: 64 })),
    android_channel_id: Type.Optional(Type.String({ pattern: uuid })),
    existing_android_channel_id: text,
    android_group: text,
    android_sound: text,
    android_accent_color: Type.Optional(Type.String({ pattern: '^[0-9a-fA-F]{8}$' })),
    small_icon: text,
    large_icon: text,
    chrome_web_icon: text,
    chrome_web_badge: text,
    thread_id: text,
    ios_sound: text,
    ios_category: text,
    ios_badgeType: Type.Optional(Type.String({ pattern: '^(None|SetTo|Increase)$' })),
    ios_badgeCount: Type.Optional(Type.Integer({ minimum: -1_000, maximum: 1_000_000 })),
    ios_interruption_level: Type.Optional(
      Type.String({ pattern: '^(active|passive|time_sensitive|critical)$' }),
    ),
    mutable_content: Type.Optional(Type.Boolean()),
    content_available: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);

/** Characters that a header value may have. */
const headerSafe = /^[\x21-\x7e]{1,512}$/;
const organizationKey = /^os_v2_org_/i;

export type OnesignalIntegration = {
  settings: Static<typeof onesignalSettings>;
  credentials: Static<typeof onesignalCredentials>;
};

/** The typed integration, or undefined when it was saved incomplete. */
export function readOnesignal({
  settings,
  credentials,
}: IntegrationInput): OnesignalIntegration | undefined {
  const isWhole =
    Value.Check(onesignalSettings, settings) &&
    Value.Check(onesignalCredentials, credentials) &&
    headerSafe.test(credentials.rest_api_key);
  return isWhole ? { settings, credentials } : undefined;
}

/** Problems that the schemas cannot express. */
export function checkOnesignal({ credentials }: IntegrationInput): string[] {
  const { rest_api_key: key } = credentials;
  if (typeof key !== 'string' || !headerSafe.test(key)) {
    return ['rest_api_key must not have spaces or line breaks'];
  }
  return organizationKey.test(key)
    ? ['rest_api_key is an organization key; enter the app API key']
    : [];
}
