import { useEffect, useEffectEvent, useState } from 'react';
import { useSearchParams } from 'react-router';
import type { CaptureFilters } from '../../api/captures';
import { useAnswer } from '../answers';
import { useApp, useSession } from '../context';
import { Button } from '../parts/controls';
import { Icon } from '../parts/icons';
import { SelectChip } from '../parts/select-chip';

const findAfterMs = 250;

export function SandboxBar({
  filters,
  isPaused,
  hasCaptures,
  onPause,
  onDeleteAll,
  onMagic,
}: {
  filters: CaptureFilters;
  isPaused: boolean;
  hasCaptures: boolean;
  onPause: () => void;
  onDeleteAll: () => void;
  onMagic: () => void;
}) {
  const app = useApp();
  const [params, setParams] = useSearchParams();
  const { registry, mayChange } = useSession();
  const events = useAnswer('GET /api/apps/:appId/events', { appId: app.id });
  const set = (name: keyof CaptureFilters, value: string) => {
    const next = new URLSearchParams(params);
    if (value) next.set(name, value);
    else next.delete(name);
    setParams(next, { replace: true });
  };
  const options = (values: string[]) => values.map((value) => ({ value, text: value }));
  return (
    <search className="bar filters" aria-label="Filter the sandbox">
      <SelectChip
        name="channel"
        value={filters.channel}
        options={options(registry.channels.map(({ channel }) => channel))}
        onChange={(channel) => set('channel', channel)}
      />
      <SelectChip
        name="event"
        value={filters.event}
        options={options((events.value?.events ?? []).map(({ name }) => name))}
        onChange={(event) => set('event', event)}
      />
      <Finder text={filters.text ?? ''} onFind={(text) => set('text', text)} />
      <span className="faint small nowrap">keeps the newest 500 for 7 days</span>
      <Button look="small bare" onClick={onMagic}>
        Magic recipients
      </Button>
      {mayChange && hasCaptures && (
        <Button look="small bare" onClick={onDeleteAll}>
          Delete all
        </Button>
      )}
      <Button
        look="small"
        aria-pressed={!isPaused}
        title={isPaused ? 'Resume (space)' : 'Pause (space)'}
        onClick={onPause}
      >
        <Icon name="live" size={14} />
        {isPaused ? 'Paused' : 'Live'}
      </Button>
    </search>
  );
}

/** Searches shortly after the last key press. */
function Finder({ text: appliedText, onFind }: { text: string; onFind: (text: string) => void }) {
  const [text, setText] = useState(appliedText);
  // The search itself is trimmed; the space before the next word stays.
  useEffect(
    () => setText((shown) => (shown.trim() === appliedText ? shown : appliedText)),
    [appliedText],
  );
  // An event, because the URL may change before the search starts.
  const find = useEffectEvent(() => {
    if (text.trim() !== appliedText) onFind(text.trim());
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: only input restarts the search.
  useEffect(() => {
    const timer = setTimeout(find, findAfterMs);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <div className="finder">
      <Icon name="search" size={14} />
      <input
        className="input"
        aria-label="Find captured message"
        placeholder="Recipient, subject or any word"
        maxLength={200}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {text === '' && <kbd className="key" data-keys="/" />}
    </div>
  );
}
