import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useServices, useSession } from '../context';
import { Icon } from '../parts/icons';
import { Mark } from '../parts/state-mark';
import { buildPath } from '../route';

/** A menu button by the ARIA pattern. */
export function AppSwitch() {
  const { app, apps } = useSession();
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  if (apps.length === 0) return null;
  return (
    <div className="switcher">
      <button
        ref={button}
        type="button"
        className="app-switch"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        title="Switch app"
        onClick={() => setOpen(!isOpen)}
      >
        <span className="short" aria-hidden="true">
          {(app?.name ?? '?').slice(0, 2)}
        </span>
        <span className="grow">
          <b className="cut">{app?.name ?? 'Choose app'}</b>
          <small>{app?.delivery ?? ''}</small>
        </span>
        <Icon name="down" />
      </button>
      {isOpen && (
        <AppMenu
          onClose={() => {
            setOpen(false);
            button.current?.focus();
          }}
        />
      )}
    </div>
  );
}

function AppMenu({ onClose }: { onClose: () => void }) {
  const { apps, app } = useSession();
  const { navigation } = useServices();
  const menu = useRef<HTMLDivElement>(null);
  useEffect(() => {
    menu.current?.querySelector<HTMLElement>('[role^="menuitem"]')?.focus();
    function onPointer({ target }: PointerEvent) {
      if (target instanceof Node && !menu.current?.parentElement?.contains(target)) onClose();
    }
    document.addEventListener('pointerdown', onPointer);
    return () => document.removeEventListener('pointerdown', onPointer);
  }, [onClose]);
  function choose(to: string) {
    onClose();
    navigation.go(to);
  }
  return (
    <div
      ref={menu}
      role="menu"
      tabIndex={-1}
      aria-label="Apps"
      className="menu"
      onKeyDown={(event) => moveIn(event, onClose)}
    >
      {apps.map(({ id, name, delivery }) => (
        <button
          key={id}
          type="button"
          role="menuitemradio"
          aria-checked={id === app?.id}
          onClick={() => choose(buildPath(id, 'log'))}
        >
          <Mark name="dot" tone={delivery === 'live' ? 's-delivered' : 's-attention'} />
          <span className="grow cut">{name}</span>
          <small>{delivery}</small>
        </button>
      ))}
      <button type="button" role="menuitem" onClick={() => choose('apps')}>
        <Icon name="plus" size={14} />
        <span>All apps</span>
      </button>
    </div>
  );
}

function moveIn(event: KeyboardEvent<HTMLElement>, onClose: () => void) {
  if (event.key === 'Escape') onClose();
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('button')];
  const at = items.findIndex((item) => item.matches(':focus'));
  items[(at + step + items.length) % items.length]?.focus();
}
