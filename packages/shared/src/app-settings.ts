/** Settings of an app. The dashboard form, `belfry app set`, docs/reference/configuration.md and validation derive from this list. */
export type AppSetting = {
  /** Name in the command line and the docs; also the PostgreSQL column. */
  name: string;
  /** Label in the form. */
  title: string;
  /** Help text in the form and the docs. */
  help: string;
} & (
  | { kind: 'switch'; default: boolean }
  | { kind: 'choice'; choices: readonly AppSettingChoice[]; default: string }
  /** Two letters of ISO 3166-1, or null for none. */
  | { kind: 'region'; default: null }
  /** As in `#1d4ed8`, or null for none. */
  | { kind: 'color'; default: null }
  /** A whole number, or null for the setting of the installation. */
  | (DayLimits & { kind: 'days'; default: null })
);

type DayLimits = { minimum: number; maximum: number };

/** `hint` describes the effect of the choice. */
type AppSettingChoice = { value: string; title: string; hint: string };

/** Limits of RETENTION_DAYS, too. */
const retentionDayLimits = { minimum: 2, maximum: 3_650 } as const satisfies DayLimits;

/** Keyed by the name used in JSON and code. */
export const appSettings = {
  delivery: {
    name: 'delivery',
    title: 'Delivery',
    help: 'Where messages are delivered.',
    kind: 'choice',
    choices: [
      {
        value: 'sandbox',
        title: 'Sandbox',
        hint: 'Every message is captured and none is sent.',
      },
      {
        value: 'live',
        title: 'Live',
        hint: 'Messages are sent through the integrations of the event.',
      },
    ],
    default: 'sandbox',
  },
  openInboxCounters: {
    name: 'open_inbox_counters',
    title: 'Unsigned inbox counters',
    help: 'Front ends may call unread_count and last_open of the inbox without a signature. Anyone who knows a user_id can then read and reset the counter.',
    kind: 'switch',
    default: false,
  },
  inboxSignature: {
    name: 'inbox_signature',
    title: 'Inbox signatures with an API key',
    help: 'Front ends may sign in to the inbox with an HMAC that your backend makes with an API key. It names neither the app nor a time. Turn it off once all front ends use tokens.',
    kind: 'switch',
    default: true,
  },
  defaultRegion: {
    name: 'default_region',
    title: 'Default region of phone numbers',
    help: 'Two letters, such as US or DE. Phone numbers without + are then also read as national numbers of this region. Without a region they need a country code.',
    kind: 'region',
    default: null,
  },
  pageColor: {
    name: 'page_color',
    title: 'Color of preference pages',
    help: 'The color of buttons on the pages behind unsubscribe links, such as #1d4ed8. Text on it is black or white, whichever is easier to read.',
    kind: 'color',
    default: null,
  },
  retentionDays: {
    name: 'retention_days',
    title: 'Retention in days',
    help: `How long a request is kept after all its messages are final: ${retentionDayLimits.minimum} to ${retentionDayLimits.maximum} days. Without a number, RETENTION_DAYS of the workers decides.`,
    kind: 'days',
    ...retentionDayLimits,
    default: null,
  },
} as const satisfies Record<string, AppSetting>;

type AppSettingValue<S> = S extends { kind: 'switch' }
  ? boolean
  : S extends { kind: 'region' | 'color' }
    ? string | null
    : S extends { kind: 'days' }
      ? number | null
      : S extends { choices: readonly { value: infer Value }[] }
        ? Value
        : never;

/** The settings of one app. */
export type AppSettings = {
  -readonly [K in keyof typeof appSettings]: AppSettingValue<(typeof appSettings)[K]>;
};

export type AppSettingKey = keyof AppSettings;

export function listAppSettings(): [AppSettingKey, AppSetting][] {
  // Safe cast: a constant object has exactly the keys of its type.
  return Object.entries(appSettings) as [AppSettingKey, AppSetting][];
}

/** The allowed values of a setting as text, for the command line, the docs and error messages. */
export function listValues(setting: AppSetting): string[] {
  switch (setting.kind) {
    case 'switch':
      return ['true', 'false'];
    case 'choice':
      return setting.choices.map(({ value }) => value);
    case 'region':
      return [none, 'REGION'];
    case 'color':
      return [none, '#RRGGBB'];
    case 'days':
      return [none, `${setting.minimum}-${setting.maximum}`];
  }
}

const none = 'none';

const color = /^#[0-9a-f]{6}$/;

export const colorPattern = color.source;

export const isColor = (text: string): boolean => color.test(text);

/** Parses a value from text; undefined if the setting does not allow it. `isRegion` checks two capital letters. */
export function parseAppSetting(
  setting: AppSetting,
  text: string,
  isRegion: (text: string) => boolean,
): boolean | string | number | null | undefined {
  switch (setting.kind) {
    case 'region':
      return parseOptional(text, text.toUpperCase(), isRegion);
    case 'color':
      return parseOptional(text, text.toLowerCase(), isColor);
    case 'days':
      return parseOptional(text, Number(text), (days) => {
        const isWhole = /^\d+$/.test(text);
        return isWhole && days >= setting.minimum && days <= setting.maximum;
      });
    case 'switch':
      return listValues(setting).includes(text) ? text === 'true' : undefined;
    case 'choice':
      return listValues(setting).includes(text) ? text : undefined;
  }
}

function parseOptional<Value>(
  text: string,
  value: Value,
  isValid: (value: Value) => boolean,
): Value | null | undefined {
  if (text === none) return null;
  return isValid(value) ? value : undefined;
}
