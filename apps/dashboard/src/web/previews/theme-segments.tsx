import { Segments } from '../parts/controls';

const themes = [
  { value: 'light', text: 'Light' },
  { value: 'dark', text: 'Dark' },
] as const;

/** The theme of the recipient; the page has its own. */
export function ThemeSegments({
  value,
  onChange,
}: {
  value: 'light' | 'dark';
  onChange: (theme: 'light' | 'dark') => void;
}) {
  return <Segments label="Recipient’s theme" options={themes} value={value} onChange={onChange} />;
}
