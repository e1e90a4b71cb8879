import { useEffect, useRef, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import type { FindAnswer } from '../../api/find';
import { useAnswer } from '../answers';
import type { PageProblem } from '../api';
import { useServices, useSession } from '../context';
import { setZone } from '../dates';
import { readFilters, writeFilters } from '../log/filters';
import { NoMatch } from '../log/no-match';
import { toFilterEntries, useSavedFilters } from '../log/saved-filters';
import { Dialog } from '../parts/dialog';
import { Icon } from '../parts/icons';
import { ProblemNote } from '../parts/notes';
import { buildPath } from '../route';
import styles from './jump-dialog.module.css';
import { filterJumps, type Jump, listActions, listApps, listPages, toJump } from './jumps';
import { setTheme } from './theme';
import { useSignOut } from './use-sign-out';

const maxResults = 40;
const searchDelayMs = 250;
/** Shorter texts match nothing stored. */
const minSearchCharacters = 3;

export function JumpDialog({ onClose, onHelp }: { onClose: () => void; onHelp: () => void }) {
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const { answer, problem, isSearching } = useSearch(text.trim());
  const jumps = useJumps(text.trim(), answer, onHelp);
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: 'nearest' });
  }, [at]);
  const open = (jump: Jump | undefined) => {
    if (!jump) return;
    onClose();
    if (jump.to !== undefined) void navigate({ pathname: jump.to, search: jump.search ?? '' });
    jump.act?.();
  };
  function onKeyDown(event: { key: string; preventDefault(): void }) {
    const { key } = event;
    if (key === 'ArrowDown') setAt(Math.min(at + 1, jumps.length - 1));
    if (key === 'ArrowUp') setAt(Math.max(at - 1, 0));
    if (key === 'Enter') open(jumps[at]);
    if (['ArrowDown', 'ArrowUp', 'Enter'].includes(key)) event.preventDefault();
  }
  return (
    <Dialog title="Find or jump" onClose={onClose}>
      <div className={styles.field}>
        <input
          className="input"
          role="combobox"
          aria-expanded="true"
          aria-controls="jumps"
          aria-activedescendant={jumps[at] ? `jump-${at}` : undefined}
          aria-label="Find or jump"
          placeholder="Page, event, ID, key or address"
          value={text}
          onKeyDown={onKeyDown}
          onChange={(event) => {
            setText(event.target.value);
            setAt(0);
          }}
        />
      </div>
      <div id="jumps" ref={list} role="listbox" aria-label="Results" className={styles.list}>
        {jumps.map((jump, index) => (
          <div
            key={`${jump.kind} ${jump.text} ${jump.to}`}
            id={`jump-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            onPointerEnter={() => setAt(index)}
            onPointerUp={() => open(jump)}
          >
            <Icon name={jump.icon} size={14} />
            <span className="grow">{jump.text}</span>
            <small>{jump.kind}</small>
          </div>
        ))}
      </div>
      <ProblemNote problem={problem} />
      {isSearching && <p className="nothing">Searching…</p>}
      {jumps.length === 0 && !isSearching && !problem && <Nothing answer={answer} />}
    </Dialog>
  );
}

function Nothing({ answer }: { answer: FindAnswer | undefined }) {
  return answer ? <NoMatch answer={answer} /> : <p className="nothing">No results.</p>;
}

function useJumps(text: string, answer: FindAnswer | undefined, onHelp: () => void): Jump[] {
  const { app, apps } = useSession();
  const namedJumps = useNamedJumps(app?.id);
  const actions = useActions(onHelp);
  const getAppName = (id: string) => apps.find((one) => one.id === id)?.name ?? 'app';
  return [
    ...(answer?.found ?? []).map((match) => toJump(match, getAppName)),
    ...filterJumps(
      [...listPages(app?.id), ...listApps(apps, app?.id), ...actions, ...namedJumps],
      text,
    ),
  ].slice(0, maxResults);
}

type Search = {
  answer: FindAnswer | undefined;
  problem: PageProblem | undefined;
  isSearching: boolean;
};

/** Searches shortly after the last key press, if the text can match. Another text aborts the running search. */
function useSearch(text: string): Search {
  const { app } = useSession();
  const [settledText, setSettledText] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setSettledText(text), searchDelayMs);
    return () => clearTimeout(timer);
  }, [text]);
  const mayMatch = text.length >= minSearchCharacters;
  const isEnabled = mayMatch && settledText === text;
  const query = { text, ...(app ? { app: app.id } : {}) };
  const { value: answer, problem } = useAnswer('GET /api/find', { query }, { isEnabled });
  return { answer, problem, isSearching: mayMatch && !answer && !problem };
}

function useActions(onHelp: () => void): Jump[] {
  const { api } = useServices();
  const { app, mayChange, reloadApps } = useSession();
  const { pathname, search } = useLocation();
  const signOut = useSignOut();
  const isLog = app !== undefined && pathname.startsWith(buildPath(app.id, 'log'));
  return listActions({
    app,
    mayChange,
    logSearch: isLog ? writeFilters(readFilters(search)) : '',
    act: {
      setTheme,
      setZone,
      showKeys: onHelp,
      signOut,
      resumeSending: () => {
        if (!app) return;
        void api.call('POST /api/apps/:appId/resume', { appId: app.id }).then(reloadApps);
      },
    },
  });
}

function useNamedJumps(appId: string | undefined): Jump[] {
  const events = useAnswer(
    'GET /api/apps/:appId/events',
    { appId: appId ?? '' },
    { isEnabled: appId !== undefined },
  );
  const integrations = useAnswer(
    'GET /api/apps/:appId/integrations',
    { appId: appId ?? '' },
    { isEnabled: appId !== undefined },
  );
  const saved = useSavedFilters(appId);
  if (!appId) return [];
  return [
    ...toFilterEntries(appId, saved.value?.filters ?? []).map(({ text, to, search }): Jump => {
      return { text, kind: 'saved filter', icon: 'log', to, search };
    }),
    ...(events.value?.events ?? []).map(({ id, name }): Jump => {
      return { text: name, kind: 'event', icon: 'event', to: buildPath(appId, 'events', id) };
    }),
    ...(integrations.value?.integrations ?? []).map(({ id, name }): Jump => {
      return {
        text: name,
        kind: 'integration',
        icon: 'plug',
        to: buildPath(appId, 'integrations', id),
      };
    }),
  ];
}
