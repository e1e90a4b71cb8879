/** What people set for an app: the dashboard's form, `belfry app set`, docs/reference/configuration.md and the checks follow from it. */
export type AppSetting = {
  /** For people who use the command line and the docs; also the column in PostgreSQL. */
  name: string;
  /** For the form. */
  title: string;
  /** For the form and the docs. */
  help: string;
} & (
  | { kind: 'switch'; default: boolean }
  | { kind: 'choice'; choices: readonly AppSettingChoice[]; default: string }
  /** Two letters of ISO 3166-1, or null for none. */
  | { kind: 'region'; default: null }
);

/** `hint` says what it does. */
type AppSettingChoice = { value: string; title: string; hint: string };

/** By the name in JSON and in code. */
export const appSettings = {
  delivery: {
    name: 'delivery',
    title: 'Delivery',
    help: 'Where messages go.',
    kind: 'choice',
    choices: [
      {
        value: 'sandbox',
        title: 'Sandbox',
        hint: 'Every message is captured and none leaves, whatever a version names.',
      },
      {
        value: 'live',
        title: 'Live',
        hint: 'Messages reach people through the integrations of its events.',
      },
    ],
    default: 'sandbox',
  },
  openInboxCounters: {
    name: 'open_inbox_counters',
    title: 'Unsigned inbox counters',
    help: 'Front ends may call unread_count and last_open of the inbox without a signature. Anybody who knows a user_id can then read the count and reset it.',
    kind: 'switch',
    default: false,
  },
  defaultRegion: {
    name: 'default_region',
    title: 'Default region of phone numbers',
    help: 'Two letters, such as US or DE. Phone numbers without + are then also read as national numbers of this region. Without it they need their country code.',
    kind: 'region',
    default: null,
  },
} as const satisfies Record<string, AppSetting>;

type AppSettingValue<S> = S extends { kind: 'switch' }
  ? boolean
  : S extends { kind: 'region' }
    ? string | null
    : S extends { choices: readonly { value: infer Value }[] }
      ? Value
      : never;

/** The settings of one app. */
export type AppSettings = {
  -readonly [K in keyof typeof appSettings]: AppSettingValue<(typeof appSettings)[K]>;
};

export type AppSettingKey = keyof AppSettings;

export function listAppSettings(): [AppSettingKey, AppSetting][] {
  // An object's own keys are those of its type: it is a constant.
  return Object.entries(appSettings) as [AppSettingKey, AppSetting][];
}

/** The values that a setting takes, as text: for the command line, the docs and the sentence of an error. */
export function listValues(setting: AppSetting): string[] {
  switch (setting.kind) {
    case 'switch':
      return ['true', 'false'];
    case 'choice':
      return setting.choices.map(({ value }) => value);
    case 'region':
      return [noRegion, 'REGION'];
  }
}

const noRegion = 'none';

/** A value that was written as text; undefined for what the setting does not take. `isRegion` knows two capital letters. */
export function parseAppSetting(
  setting: AppSetting,
  text: string,
  isRegion: (text: string) => boolean,
): boolean | string | null | undefined {
  if (setting.kind === 'region') {
    const region = text.toUpperCase();
    if (text === noRegion) return null;
    return isRegion(region) ? region : undefined;
  }
  if (!listValues(setting).includes(text)) return undefined;
  return setting.kind === 'switch' ? text === 'true' : text;
}
