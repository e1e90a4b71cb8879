import type { ReactNode } from 'react';
import type { Loaded } from '../answers';
import { Icon } from './icons';
import { AwayBar } from './notes';

/** A list page with a search field, an action button and the list. */
export function ListPage({
  finds,
  placeholder,
  text,
  onText,
  action,
  loaded,
  reload,
  children,
}: {
  /** Accessible name of the search field. */
  finds: string;
  placeholder: string;
  text: string;
  onText: (text: string) => void;
  action: ReactNode;
  loaded: Loaded<unknown>;
  reload: () => Promise<void>;
  children: ReactNode;
}) {
  return (
    <div className="split int">
      <div>
        <div className="bar">
          <div className="finder narrow">
            <Icon name="search" size={14} />
            <input
              className="input"
              aria-label={finds}
              placeholder={placeholder}
              value={text}
              onChange={(event) => onText(event.target.value)}
            />
            <kbd className="key" data-keys="/" />
          </div>
          <span className="grow" />
          {action}
        </div>
        <AwayBar loaded={loaded} reload={reload} />
      </div>
      {children}
    </div>
  );
}
