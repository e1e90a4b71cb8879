import {
  type AppSetting,
  type AppSettings,
  appSettings,
  isColor,
  listAppSettings,
  parseAppSetting,
} from '@belfry/shared';
import type { AppAnswer } from '../../api/apps';
import { checkText } from './check-text';
import { Segments } from './controls';
import { Field } from './field';
import { CheckField, useField } from './form';

/** Settings of an app; defaults for a new one. */
export function getSettings(app: AppAnswer | undefined): AppSettings {
  const values = listAppSettings().map(([key]) => [key, app?.[key] ?? appSettings[key].default]);
  // One value per key of the definition.
  return Object.fromEntries(values) as AppSettings;
}

/** One field per app setting. Without `hasDelivery`, the app stays in the sandbox: going live has its own dialog. */
export function AppSettingFields({ hasDelivery }: { hasDelivery: boolean }) {
  return listAppSettings()
    .filter(([key]) => hasDelivery || key !== 'delivery')
    .map(([key, setting]) => <SettingField key={key} name={key} setting={setting} />);
}

function SettingField({ name, setting }: { name: string; setting: AppSetting }) {
  switch (setting.kind) {
    case 'switch':
      return <CheckField name={name} label={setting.title} hint={setting.help} />;
    case 'choice':
      return <ChoiceField name={name} setting={setting} />;
    case 'region':
      return (
        <OptionalField
          {...{ name, setting }}
          placeholder="US"
          read={(text) => text.toUpperCase()}
          check={(region) => checkText(setting.title, String(region), { maxLength: 2 })}
        />
      );
    case 'color':
      return (
        <OptionalField
          {...{ name, setting }}
          placeholder="#1d4ed8"
          read={(text) => text.toLowerCase()}
          check={(color) => (isColor(String(color)) ? undefined : 'Enter a color such as #1d4ed8.')}
        />
      );
    case 'days':
      return (
        <OptionalField
          {...{ name, setting }}
          placeholder="30"
          read={(text) => readDays(setting, text)}
          check={(days) => (typeof days === 'number' ? undefined : describeDays(setting))}
        />
      );
  }
}

/** A text that is no number of days stays, so that the field can say so. */
function readDays(setting: AppSetting, text: string): string | number {
  const days = parseAppSetting(setting, text, () => true);
  return typeof days === 'number' ? days : text;
}

function describeDays({ minimum, maximum }: AppSetting & { kind: 'days' }): string {
  return `Enter a whole number from ${minimum} to ${maximum}, or nothing.`;
}

function ChoiceField({
  name,
  setting: { title, choices },
}: {
  name: string;
  setting: AppSetting & { kind: 'choice' };
}) {
  const { field, set } = useField<string>(name, title);
  const options = choices.map((choice) => ({ value: choice.value, text: choice.title }));
  return (
    <div className="field">
      <div className="field-head">
        <span>{title}</span>
      </div>
      <Segments label={title} options={options} value={field.value} onChange={set} />
      <div className="hint">{choices.find(({ value }) => value === field.value)?.hint}</div>
    </div>
  );
}

type OptionalValue = string | number | null;

/** An empty field is null. */
function OptionalField({
  name,
  setting: { title, help },
  placeholder,
  read,
  check,
}: {
  name: string;
  setting: AppSetting;
  placeholder: string;
  read: (text: string) => string | number;
  /** Returns a sentence if the value is wrong. */
  check: (value: string | number) => string | undefined;
}) {
  const { field, set, problem } = useField<OptionalValue>(name, title, (value) =>
    value === null ? undefined : check(value),
  );
  return (
    <Field
      {...field}
      label={title}
      isMono
      placeholder={placeholder}
      value={field.value ?? ''}
      problem={problem}
      hint={help}
      onChange={({ target }) => {
        const text = target.value.trim();
        set(text === '' ? null : read(text));
      }}
    />
  );
}
