import { Icon } from './icons';

/** A native select styled as a chip. */
export function SelectChip({
  name,
  value,
  options,
  none = 'any',
  onChange,
}: {
  name: string;
  value: string | undefined;
  options: readonly { value: string; text: string }[];
  /** Text without a selection. */
  none?: string;
  onChange: (value: string) => void;
}) {
  const text = options.find((option) => option.value === value)?.text ?? value;
  return (
    <label className={value ? 'chip set' : 'chip'}>
      {name} {value && <b className="cut">{text}</b>}
      <Icon name="down" size={12} />
      <select
        aria-label={name}
        value={value ?? ''}
        onChange={(event) => onChange(event.target.value)}
      >
        <option value="">{none}</option>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.text}
          </option>
        ))}
      </select>
    </label>
  );
}
