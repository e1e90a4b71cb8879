import { type ReactNode, useEffect, useRef } from 'react';
import { Button } from './controls';
import { Icon } from './icons';

/** The native dialog element, which traps and restores the focus. */
export function Dialog({
  title,
  onClose,
  children,
  isWide = false,
}: {
  title: string;
  onClose: () => void;
  children: ReactNode;
  isWide?: boolean;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      className={isWide ? 'dialog wide' : 'dialog'}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <header>
        <h2>{title}</h2>
        <Button look="bare icon" aria-label="Close" title="Close (Esc)" onClick={onClose}>
          <Icon name="x" />
        </Button>
      </header>
      {children}
    </dialog>
  );
}
