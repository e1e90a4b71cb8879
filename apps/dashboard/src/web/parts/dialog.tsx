import { Content, Overlay, Portal, Root, Title } from '@radix-ui/react-dialog';
import { type ReactNode, useState } from 'react';
import { Button } from './controls';
import { Icon } from './icons';
import { Name } from './name';
import { rememberFocus } from './return-focus';

const firstInput =
  'input:not([type="hidden"], :disabled, :read-only), select:not(:disabled), textarea:not(:disabled), [contenteditable="true"], fieldset:not(:disabled) > button[aria-pressed="true"]';

/** A modal dialog. It focuses its first input or chosen segment, and returns the focus to what opened it. */
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
  const [returnFocus] = useState(rememberFocus);
  return (
    <Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Portal>
        <Overlay className="overlay" />
        <Content
          className={isWide ? 'dialog wide' : 'dialog'}
          aria-describedby={undefined}
          onOpenAutoFocus={(event) => {
            const input = (event.currentTarget as HTMLElement).querySelector<HTMLElement>(
              firstInput,
            );
            if (!input) return awaitInput(event.currentTarget as HTMLElement);
            event.preventDefault();
            input.focus();
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            returnFocus();
          }}
          onPointerDownOutside={(event) => event.preventDefault()}
        >
          <header>
            <Title>
              <Name text={title} />
            </Title>
            <Button look="bare icon" aria-label="Close" title="Close (Esc)" onClick={onClose}>
              <Icon name="x" />
            </Button>
          </header>
          {children}
        </Content>
      </Portal>
    </Root>
  );
}

/** Focuses the first input once it is loaded. Until then the Close button has the focus, unless the operator moved on. */
function awaitInput(dialog: HTMLElement) {
  const loading = new MutationObserver(() => {
    const input = dialog.querySelector<HTMLElement>(firstInput);
    if (!input) return;
    loading.disconnect();
    if (dialog.querySelector('header button') === document.activeElement) input.focus();
  });
  loading.observe(dialog, { childList: true, subtree: true });
}
