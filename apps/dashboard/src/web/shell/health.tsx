import { useAnswer } from '../answers';
import { duration } from '../format';
import { Mark } from '../parts/state-mark';
import styles from './side-bar.module.css';

const readEveryMs = 15_000;

export function Health() {
  const status = useAnswer('GET /api/status', {}, { everyMs: readEveryMs });
  const rows = [
    ['gateway', status.value?.gateway],
    ['PostgreSQL', status.value?.postgres],
    ['Redis', status.value?.redis],
  ] as const;
  const isStale = status.problem !== undefined;
  return (
    <ul className={styles.health} aria-label="System">
      {rows.map(([name, store]) => (
        <li key={name} title={`${name}: ${formatState(store, isStale)}`}>
          <Mark
            name={store?.isUp === false || isStale ? 'absent' : 'dot'}
            tone={getTone(store, isStale)}
          />
          <span>{name}</span>
          <span className="num">{formatState(store, isStale)}</span>
        </li>
      ))}
    </ul>
  );
}

type Store = { isUp: boolean; ms: number | null } | undefined;

function getTone(store: Store, isStale: boolean): string {
  if (isStale || !store) return 's-queued';
  return store.isUp ? 's-delivered' : 's-failed';
}

function formatState(store: Store, isStale: boolean): string {
  if (isStale || !store) return 'unknown';
  if (!store.isUp) return 'down';
  if (store.ms === null) return 'up';
  return store.ms < 1 ? `${store.ms.toFixed(1)} ms` : duration(store.ms);
}
