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
        {(app?.name ?? '?').slice(0, 2)}
      </span>
      <span className="grow">
        <b className="cut">{app?.name ?? 'Choose app'}</b>
        <small>{app?.delivery ?? ''}</small>
      </span>
      <Icon name="down" />
    </button>
  );
}
