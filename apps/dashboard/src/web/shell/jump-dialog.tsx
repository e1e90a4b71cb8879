import { isUuid } from '@belfry/shared';
import { useEffect, useState } from 'react';
import { useAnswer, useDesk, useTools } from '../context';
import { savedFilterEntries, useSavedFilters } from '../log/saved-filters';
import { Dialog } from '../parts/dialog';
import { Icon, type IconName } from '../parts/icons';
import { pathOf } from '../route';

type Jump = { text: string; kind: string; icon: IconName; to: string; search?: string };

const maxShown = 12;

export function JumpDialog({ onClose }: { onClose: () => void }) {
  const { places } = useTools();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const found = useJumps(text.trim());
  const open = (jump: Jump | undefined) => {
    if (!jump) return;
    onClose();
    places.go(jump.to, { search: jump.search ?? '' });
  };
  function onKeyDown({ key }: { key: string }) {
    if (key === 'ArrowDown') setAt(Math.min(at + 1, found.length - 1));
    if (key === 'ArrowUp') setAt(Math.max(at - 1, 0));
    if (key === 'Enter') open(found[at]);
  }
  return (
    <Dialog title="Find or jump" onClose={onClose}>
      <input
        className="input"
        role="combobox"
        aria-expanded="true"
        aria-controls="jumps"
        aria-activedescendant={found[at] ? `jump-${at}` : undefined}
        aria-label="Find or jump"
        placeholder="A page, an event, an integration, a request id, an address"
        value={text}
        onKeyDown={onKeyDown}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
      />
      <div id="jumps" role="listbox" aria-label="Found" className="jumps">
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
    </Dialog>
  );
}

function useJumps(text: string): Jump[] {
  const { app, apps } = useDesk();
  const all = useNamed(app?.id);
  const [wanted, setWanted] = useState('');
  useEffect(() => setWanted(text.toLowerCase()), [text]);
  const others = apps.map(({ id, name }): Jump => {
    return { text: name, kind: 'app', icon: 'apps', to: pathOf(id, 'log') };
  });
  const named = [...all, ...others].filter((jump) => jump.text.toLowerCase().includes(wanted));
  return [...inLog(app?.id, text), ...named].slice(0, maxShown);
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

function pagesOf(appId: string | undefined): Jump[] {
  const account: Jump[] = [
    { text: 'API keys', kind: 'page', icon: 'key', to: 'keys' },
    { text: 'Apps', kind: 'page', icon: 'apps', to: 'apps' },
    { text: 'Audit', kind: 'page', icon: 'history', to: 'audit' },
    { text: 'Password and sessions', kind: 'page', icon: 'person', to: 'account' },
  ];
  if (!appId) return account;
  return [
    { text: 'Log', kind: 'page', icon: 'log', to: pathOf(appId, 'log') },
    { text: 'Events', kind: 'page', icon: 'event', to: pathOf(appId, 'events') },
    { text: 'Integrations', kind: 'page', icon: 'plug', to: pathOf(appId, 'integrations') },
    { text: 'Queues', kind: 'page', icon: 'queues', to: pathOf(appId, 'queues') },
    { text: 'Sandbox', kind: 'page', icon: 'sandbox', to: pathOf(appId, 'sandbox') },
    ...account,
  ];
}

function inLog(appId: string | undefined, text: string): Jump[] {
  if (!appId || text.length < 3) return [];
  if (isUuid(text)) {
    return [{ text, kind: 'request', icon: 'log', to: pathOf(appId, 'log', text) }];
  }
  if (!/[@+\d]/.test(text)) return [];
  const search = new URLSearchParams({ recipient: text }).toString();
  return [{ text, kind: 'recipient in the log', icon: 'log', to: pathOf(appId, 'log'), search }];
}
