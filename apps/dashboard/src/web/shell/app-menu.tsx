import {
  Content,
  Item,
  Portal,
  RadioGroup,
  RadioItem,
  Root,
  Trigger,
} from '@radix-ui/react-dropdown-menu';
import type { ReactNode } from 'react';
import { useServices, useSession } from '../context';
import { Icon } from '../parts/icons';
import { Mark } from '../parts/state-mark';
import { buildPath } from '../route';

/** A menu that is open at first. `children` is the button that opens it again. */
export function AppMenu({ children }: { children: ReactNode }) {
  const { app, apps } = useSession();
  const { navigation } = useServices();
  return (
    <Root modal={false} defaultOpen>
      <Trigger asChild>{children}</Trigger>
      <Portal>
        <Content className="menu" align="start" aria-label="Apps">
          <RadioGroup
            value={app?.id ?? ''}
            onValueChange={(id) => navigation.go(buildPath(id, 'log'))}
          >
            {apps.map(({ id, name, delivery }) => (
              <RadioItem key={id} value={id}>
                <Mark name="dot" tone={delivery === 'live' ? 's-delivered' : 's-attention'} />
                <span className="grow cut">{name}</span>
                <small>{delivery}</small>
              </RadioItem>
            ))}
          </RadioGroup>
          <Item onSelect={() => navigation.go('apps')}>
            <Icon name="plus" size={14} />
            <span>All apps</span>
          </Item>
        </Content>
      </Portal>
    </Root>
  );
}
