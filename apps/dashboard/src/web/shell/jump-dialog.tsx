import { useEffect, useRef, useState } from 'react';
import type { Found } from '../../api/find';
import { useAnswer, useDesk, usePlace, useTools } from '../context';
import { readFilters, writeFilters } from '../log/filters';
import { savedFilterEntries, useSavedFilters } from '../log/saved-filters';
import { Dialog } from '../parts/dialog';
import { Icon } from '../parts/icons';
import { pathOf } from '../route';
import { actionsOf, type Jump, jumpOf, matching, pagesOf } from './jumps';
import { switchTheme } from './theme';
import { useSignOut } from './use-sign-out';

const maxShown = 14;
const askAfterMs = 120;
/** What is shorter names nothing that is stored. */
const minAskedCharacters = 3;

export function JumpDialog({ onClose, onHelp }: { onClose: () => void; onHelp: () => void }) {
  const { places } = useTools();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const found = useJumps(text.trim(), onHelp);
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: 'nearest' });
  }, [at]);
  const open = (jump: Jump | undefined) => {
    if (!jump) return;
    onClose();
    if (jump.to !== undefined) places.go(jump.to, { search: jump.search ?? '' });
    jump.act?.();
  };
  function onKeyDown(event: { key: string; preventDefault(): void }) {
    const { key } = event;
    if (key === 'ArrowDown') setAt(Math.min(at + 1, found.length - 1));
    if (key === 'ArrowUp') setAt(Math.max(at - 1, 0));
    if (key === 'Enter') open(found[at]);
    if (['ArrowDown', 'ArrowUp', 'Enter'].includes(key)) event.preventDefault();
  }
  return (
    <Dialog title="Find or jump" onClose={onClose}>
      <div>
        <input
          className="input"
          role="combobox"
          aria-expanded="true"
          aria-controls="jumps"
          aria-activedescendant={found[at] ? `jump-${at}` : undefined}
          aria-label="Find or jump"
          placeholder="A page, an event, an id, a key, an address, something to do"
          value={text}
          onKeyDown={onKeyDown}
          onChange={(event) => {
            setText(event.target.value);
            setAt(0);
          }}
        />
      </div>
      <div id="jumps" ref={list} role="listbox" aria-label="Found" className="jumps">
        {found.map((jump, index) => (
          <div
            key={`${jump.kind} ${jump.text}`}
            id={`jump-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            onPointerEnter={() => setAt(index)}
            onPointerUp={() => open(jump)}
          >
            <Icon name={jump.icon} size={14} />
            <span className="grow cut">{jump.text}</span>
            <small>{jump.kind}</small>
          </div>
        ))}
      </div>
      {found.length === 0 && <p className="nothing">Nothing here is called that.</p>}
    </Dialog>
  );
}

function useJumps(text: string, onHelp: () => void): Jump[] {
  const { app, apps } = useDesk();
  const named = useNamed(app?.id);
  const actions = useActions(onHelp);
  const found = useFound(text);
  const nameOf = (id: string) => apps.find((one) => one.id === id)?.name ?? 'app';
  const others = apps.map(({ id, name }): Jump => {
    return { text: name, kind: 'app', icon: 'apps', to: pathOf(id, 'log') };
  });
  return [
    ...found.map((one) => jumpOf(one, text, nameOf)),
    ...matching([...named, ...others, ...actions], text),
  ].slice(0, maxShown);
}

/** Asked a moment after the last key, and only for what may be a name. */
function useFound(text: string): Found[] {
  const { api } = useTools();
  const { app } = useDesk();
  const [found, setFound] = useState<{ text: string; rows: Found[] }>({ text: '', rows: [] });
  const appId = app?.id;
  useEffect(() => {
    if (text.length < minAskedCharacters) return;
    let isCurrent = true;
    const timer = setTimeout(async () => {
      const answer = await api.find(text, appId);
      if (isCurrent && 'value' in answer) setFound({ text, rows: answer.value.found });
    }, askAfterMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [api, appId, text]);
  return found.text === text ? found.rows : [];
}

function useActions(onHelp: () => void): Jump[] {
  const { api } = useTools();
  const { app, mayChange, reloadApps } = useDesk();
  const { path, search } = usePlace();
  const signOut = useSignOut();
  const isLog = app !== undefined && path.startsWith(pathOf(app.id, 'log'));
  return actionsOf({
    app,
    mayChange,
    logSearch: isLog ? writeFilters(readFilters(search)) : '',
    act: {
      switchTheme,
      showKeys: onHelp,
      signOut: () => void signOut(),
      resumeSending: () => {
        if (app) void api.setSendingPaused(app.id, false).then(reloadApps);
      },
    },
  });
}

function useNamed(appId: string | undefined): Jump[] {
  const key = appId ?? 'none';
  const nothing = { value: { events: [], integrations: [] } };
  const events = useAnswer(`events ${key}`, async (api) =>
    appId ? api.listEvents(appId) : nothing,
  );
  const integrations = useAnswer(`integrations ${key}`, async (api) =>
    appId ? api.listIntegrations(appId) : nothing,
  );
  const saved = useSavedFilters(appId);
  if (!appId) return pagesOf(undefined);
  return [
    ...pagesOf(appId),
    ...savedFilterEntries(appId, saved.value?.filters ?? []).map(({ text, to, search }): Jump => {
      return { text, kind: 'saved filter', icon: 'log', to, search };
    }),
    ...(events.value?.events ?? []).map(({ id, name }): Jump => {
      return { text: name, kind: 'event', icon: 'event', to: pathOf(appId, 'events', id) };
    }),
    ...(integrations.value?.integrations ?? []).map(({ id, name }): Jump => {
      return {
        text: name,
        kind: 'integration',
        icon: 'plug',
        to: pathOf(appId, 'integrations', id),
      };
    }),
  ];
}
