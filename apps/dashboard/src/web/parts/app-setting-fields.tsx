import {
  type AppSetting,
  type AppSettings,
  appSettings,
  isColor,
  listAppSettings,
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
      return <RegionField name={name} setting={setting} />;
    case 'color':
      return <ColorField name={name} setting={setting} />;
  }
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

/** No color is null. */
function ColorField({ name, setting }: { name: string; setting: AppSetting }) {
  const { field, set, problem } = useField<string | null>(name, setting.title, (color) =>
    color === null || isColor(color) ? undefined : 'Enter a color such as #1d4ed8.',
  );
  return (
    <Field
      {...field}
      label={setting.title}
      isMono
      placeholder="#1d4ed8"
      value={field.value ?? ''}
      problem={problem}
      hint={setting.help}
      onChange={({ target }) => set(target.value.trim().toLowerCase() || null)}
    />
  );
}

/** No region is null. */
function RegionField({ name, setting }: { name: string; setting: AppSetting }) {
  const { field, set, problem } = useField<string | null>(name, setting.title, (region) =>
    checkText(setting.title, region ?? '', { maxLength: 2 }),
  );
  return (
    <Field
      {...field}
      label={setting.title}
      isMono
      placeholder="US"
      value={field.value ?? ''}
      problem={problem}
      hint={setting.help}
      onChange={({ target }) => set(target.value.trim().toUpperCase() || null)}
    />
  );
}
