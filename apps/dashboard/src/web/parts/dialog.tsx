import { Content, Overlay, Portal, Root, Title } from '@radix-ui/react-dialog';
import { type ReactNode, useState } from 'react';
import { Button } from './controls';
import { Icon } from './icons';
import { Name } from './name';
import { rememberFocus } from './return-focus';

const firstInput =
  'input:not([type="hidden"], :disabled, :read-only), select:not(:disabled), textarea:not(:disabled), [contenteditable="true"]';

/** A modal dialog. It focuses its first input and returns the focus to what opened it. */
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
            if (!input) return;
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
