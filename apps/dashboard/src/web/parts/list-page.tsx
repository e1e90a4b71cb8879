import type { ReactNode } from 'react';
import type { Loaded } from '../answers';
import { useSession } from '../context';
import { Button } from './controls';
import { Icon } from './icons';
import { AwayBar } from './notes';

/** A list page with a search field, a button that creates a thing, and the list. */
export function ListPage({
  finds,
  placeholder,
  text,
  onText,
  create,
  loaded,
  reload,
  children,
}: {
  /** Accessible name of the search field. */
  finds: string;
  placeholder: string;
  text: string;
  onText: (text: string) => void;
  /** The button is shown to operators who may change the app; with a `problem` it is disabled. */
  create: { text: string; problem?: string | undefined; onClick: () => void };
  loaded: Loaded<unknown>;
  reload: () => Promise<void>;
  children: ReactNode;
}) {
  const { mayChange } = useSession();
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
          {mayChange && (
            <Button
              look="main-action"
              disabled={create.problem !== undefined}
              title={create.problem}
              onClick={create.onClick}
            >
              <Icon name="plus" size={14} />
              {create.text}
            </Button>
          )}
        </div>
        <AwayBar loaded={loaded} reload={reload} />
      </div>
      {children}
    </div>
  );
}
