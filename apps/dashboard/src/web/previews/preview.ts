import type { Fields } from './content';

/** Props of every preview. */
export type PreviewProps = {
  fields: Fields;
  /** Notes from composing, such as the number of segments. */
  notes: Fields;
  /** The request to the provider, if known. */
  request: Fields;
  target: string;
  isDark: boolean;
  /** Shown alone, with its own controls. */
  hasControls: boolean;
};
