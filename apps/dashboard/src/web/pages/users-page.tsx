import { useEffect, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { useApp } from '../context';
import { useKeys } from '../keyboard';
import { anyText, oneOfTexts, readParams } from '../link-params';
import { Segments } from '../parts/controls';
import { Divider } from '../parts/divider';
import { Icon } from '../parts/icons';
import { IgnoredParams } from '../parts/ignored-params';
import { useReturnToRow } from '../parts/pane';
import { buildPath } from '../route';
import { ErasureList } from '../users/erasure-list';
import { SuppressionList } from '../users/suppression-list';
import { UserList } from '../users/user-list';
import { UserPane } from '../users/user-pane';
import styles from '../users/users.module.css';

const panePx = 620;
const typingPauseMs = 250;

const lists = [
  { value: 'users', text: 'Users' },
  { value: 'suppressions', text: 'Suppressions' },
  { value: 'erased', text: 'Erased' },
] as const;

const rules = {
  list: oneOfTexts(
    lists.map(({ value }) => value),
    'an unknown list',
  ),
  text: anyText,
  tab: oneOfTexts(['sent'], 'an unknown tab'),
  to: anyText,
};

type ListName = (typeof lists)[number]['value'];

const hints: Record<ListName, string> = {
  users: 'Start of an ID, address or device',
  suppressions: 'Start of the address',
  erased: '',
};

/** Users, suppressions and erasures of the app. */
export function UsersPage({ openId }: { openId: string | undefined }) {
  const app = useApp();
  const navigate = useNavigate();
  const { search } = useLocation();
  const { values, ignored } = readParams(search, rules);
  const name = lists.find(({ value }) => value === values.list)?.value ?? 'users';
  const { text = '' } = values;
  const returnToRow = useReturnToRow(openId);
  const close = () => {
    returnToRow(openId);
    void navigate({ pathname: buildPath(app.id, 'users'), search: buildSearch(name, text) });
  };
  const leave = () => {
    if (openId) close();
  };
  useKeys({ Escape: leave });
  return (
    <div className={`split list-detail ${styles.page}`}>
      <div>
        <div className="bar">
          <Segments
            label="List"
            options={lists}
            value={name}
            onChange={(next) =>
              void navigate({ pathname: buildPath(app.id, 'users'), search: buildSearch(next, '') })
            }
          />
          {name !== 'erased' && (
            <Finder
              key={name}
              hint={hints[name]}
              text={text}
              onText={(next) =>
                void navigate(
                  {
                    pathname: buildPath(app.id, 'users', openId),
                    search: buildSearch(name, next),
                  },
                  { replace: true },
                )
              }
            />
          )}
        </div>
        <IgnoredParams ignored={ignored} />
      </div>
      {name === 'users' && (
        <div className={openId ? 'body open' : 'body'}>
          <UserList key={text} text={text} openId={openId} search={buildSearch(name, text)} />
          {openId && <UserPane key={openId} sid={openId} onClose={close} />}
          {openId && <Divider name="users" side="last" initialPx={panePx} />}
        </div>
      )}
      {name === 'suppressions' && <SuppressionList key={text} text={text} />}
      {name === 'erased' && <ErasureList />}
    </div>
  );
}

function buildSearch(list: ListName, text: string): string {
  const params = { ...(list === 'users' ? {} : { list }), ...(text ? { text } : {}) };
  return new URLSearchParams(params).toString();
}

function Finder({
  text,
  hint,
  onText,
}: {
  text: string;
  hint: string;
  onText: (text: string) => void;
}) {
  const [typed, setTyped] = useState(text);
  // The search itself is trimmed; the space before the next word stays.
  useEffect(() => setTyped((shown) => (shown.trim() === text ? shown : text)), [text]);
  useTypingPause(typed, text, onText);
  return (
    <search className="finder">
      <Icon name="search" size={14} />
      <input
        className="input"
        type="text"
        aria-label="Find"
        placeholder={hint}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <kbd className="key" data-keys="/" />
    </search>
  );
}

/** Updates the URL after typing stops. */
function useTypingPause(typed: string, text: string, onText: (text: string) => void) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: only input restarts the timer.
  useEffect(() => {
    if (typed.trim() === text) return;
    const timer = setTimeout(() => onText(typed.trim()), typingPauseMs);
    return () => clearTimeout(timer);
  }, [typed]);
}
