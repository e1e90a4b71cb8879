import { type ButtonHTMLAttributes, lazy, Suspense, useState } from 'react';
import { useSession } from '../context';
import { Icon } from '../parts/icons';
import styles from './app-switch.module.css';

// A sixth of the first load, so it is loaded with the first click.
const AppMenu = lazy(async () => ({ default: (await import('./app-menu')).AppMenu }));

export function AppSwitch() {
  const { apps } = useSession();
  const [isWanted, setWanted] = useState(false);
  if (apps.length === 0) return null;
  if (!isWanted) return <SwitchButton aria-haspopup="menu" onClick={() => setWanted(true)} />;
  return (
    <Suspense fallback={<SwitchButton aria-haspopup="menu" aria-expanded="true" />}>
      <AppMenu>
        <SwitchButton />
      </AppMenu>
    </Suspense>
  );
}

function SwitchButton(props: ButtonHTMLAttributes<HTMLButtonElement>) {
  const { app } = useSession();
  return (
    <button type="button" className={styles.switch} title="Switch app" {...props}>
      <span className={styles.short} aria-hidden="true">
        {abbreviate(app?.name ?? '?')}
      </span>
      <span className="grow">
        <b className="cut">{app?.name ?? 'Choose app'}</b>
        <small>{app?.delivery ?? ''}</small>
      </span>
      <Icon name="down" />
    </button>
  );
}

/** The initials of the first and the last word, so that "Demo shop" and "Demo inbox" differ. */
function abbreviate(name: string): string {
  const words = name.split(/[\s._-]+/).filter(Boolean);
  const [first = '', last = ''] = [words[0], words.at(-1)];
  return words.length < 2 ? name.trim().slice(0, 2) : `${[...first][0]}${[...last][0]}`;
}
