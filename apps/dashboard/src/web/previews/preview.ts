import type { Fields } from './content';

/** What every preview is given; each takes what its channel shows. */
export type PreviewProps = {
  fields: Fields;
  /** What was noted when it was composed, such as segments. */
  notes: Fields;
  /** The call that the provider gets, where it is known. */
  request: Fields;
  target: string;
  isDark: boolean;
  /** Alone on its stage: with its own switches. */
  hasControls: boolean;
};
