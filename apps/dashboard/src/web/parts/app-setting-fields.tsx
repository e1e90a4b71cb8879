import { type AppSetting, type AppSettings, appSettings, listAppSettings } from '@belfry/shared';
import { useId } from 'react';
import type { AppAnswer } from '../../api/apps';
import { Segments } from './controls';
import { Field } from './field';

/** Settings of an app; defaults for a new one. */
export function getSettings(app: AppAnswer | undefined): AppSettings {
  const values = listAppSettings().map(([key]) => [key, app?.[key] ?? appSettings[key].default]);
  // One value per key of the definition.
  return Object.fromEntries(values) as AppSettings;
}

/** One field per app setting. Without `hasDelivery`, the app stays in the sandbox: going live has its own dialog. */
export function AppSettingFields({
  settings,
  hasDelivery,
  onChange,
  problemAt,
}: {
  settings: AppSettings;
  hasDelivery: boolean;
  onChange: (settings: AppSettings) => void;
  problemAt: (key: string) => string | undefined;
}) {
  const shown = listAppSettings().filter(([key]) => hasDelivery || key !== 'delivery');
  return shown.map(([key, setting]) => {
    const set = (value: unknown) => onChange({ ...settings, [key]: value });
    const props = { setting, value: settings[key], set, problem: problemAt(key) };
    return <SettingField key={key} {...props} />;
  });
}

type FieldProps<Setting> = {
  setting: Setting;
  value: unknown;
  set: (value: unknown) => void;
  problem: string | undefined;
};

function SettingField({ setting, ...rest }: FieldProps<AppSetting>) {
  switch (setting.kind) {
    case 'switch':
      return <SwitchField setting={setting} {...rest} />;
    case 'choice':
      return <ChoiceField setting={setting} {...rest} />;
    case 'region':
      return <RegionField setting={setting} {...rest} />;
  }
}

function SwitchField({ setting, value, set }: FieldProps<AppSetting>) {
  const hintId = useId();
  return (
    <div className="field">
      <label className="check">
        <input
          type="checkbox"
          aria-describedby={hintId}
          checked={value === true}
          onChange={({ target }) => set(target.checked)}
        />
        {setting.title}
      </label>
      <div className="hint" id={hintId}>
        {setting.help}
      </div>
    </div>
  );
}

function ChoiceField({ setting, value, set }: FieldProps<AppSetting & { kind: 'choice' }>) {
  const { title, choices } = setting;
  const options = choices.map((choice) => ({ value: choice.value, text: choice.title }));
  return (
    <div className="field">
      <div className="field-head">
        <span>{title}</span>
      </div>
      <Segments label={title} options={options} value={String(value)} onChange={set} />
      <div className="hint">{choices.find((choice) => choice.value === value)?.hint}</div>
    </div>
  );
}

function RegionField({ setting, value, set, problem }: FieldProps<AppSetting>) {
  return (
    <Field
      label={setting.title}
      isMono
      maxLength={2}
      placeholder="US"
      value={String(value ?? '')}
      problem={problem}
      hint={setting.help}
      onChange={({ target }) => set(target.value.trim().toUpperCase() || null)}
    />
  );
}
