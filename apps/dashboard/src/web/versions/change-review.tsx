import type { VersionAnswer } from '../../api/events';
import { type ComparedVersion, Comparison } from './comparison';
import { formatTitle } from './use-version';
import styles from './versions.module.css';

/** The difference from the live version, before another one takes its place. */
export function ChangeReview({ live, next }: { live: VersionAnswer; next: ComparedVersion }) {
  const title = formatTitle(live);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area is reached by the keyboard.
    <section className={styles.review} tabIndex={0} aria-label={`Changes to ${title}`}>
      <Comparison before={{ title, definition: live.definition }} after={next} />
    </section>
  );
}
