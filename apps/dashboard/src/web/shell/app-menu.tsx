import {
  Content,
  Item,
  Portal,
  RadioGroup,
  RadioItem,
  Root,
  Separator,
  Trigger,
} from '@radix-ui/react-dropdown-menu';
import type { ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { useSession } from '../context';
import { describeZone, setZone, useZone, zones } from '../dates';
import { Icon } from '../parts/icons';
import { Mark } from '../parts/state-mark';
import { buildPath } from '../route';
import styles from './app-switch.module.css';

/** A menu that is open at first. `children` is the button that opens it again. */
export function AppMenu({ children }: { children: ReactNode }) {
  const { app, apps } = useSession();
  const navigate = useNavigate();
  return (
    <Root modal={false} defaultOpen>
      <Trigger asChild>{children}</Trigger>
      <Portal>
        <Content className={styles.menu} align="start" aria-label="Apps and times">
          <RadioGroup value={app?.id ?? ''} onValueChange={(id) => navigate(buildPath(id, 'log'))}>
            {apps.map(({ id, name, delivery }) => (
              <RadioItem key={id} value={id}>
                <Mark name="dot" tone={delivery === 'live' ? 's-delivered' : 's-attention'} />
                <span className="grow cut">{name}</span>
                <small>{delivery}</small>
              </RadioItem>
            ))}
          </RadioGroup>
          <Item onSelect={() => navigate('/apps')}>
            <Icon name="plus" size={14} />
            <span>All apps</span>
          </Item>
          <Separator />
          <RadioGroup
            aria-label="Times in"
            value={useZone()}
            onValueChange={(value) => setZone(value === 'utc' ? 'utc' : 'local')}
          >
            {zones.map((zone) => (
              <RadioItem key={zone} value={zone}>
                <Icon name="history" size={14} />
                <span>Times in {describeZone(zone)}</span>
              </RadioItem>
            ))}
          </RadioGroup>
        </Content>
      </Portal>
    </Root>
  );
}
