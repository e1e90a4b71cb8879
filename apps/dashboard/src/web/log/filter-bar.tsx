import { lazy, Suspense, useState } from 'react';
import { useNavigate } from 'react-router';
import { useAnswer } from '../answers';
import { useApp, useSession } from '../context';
import { formatFull, formatMoment } from '../dates';
import { focusFinder } from '../keyboard';
import { Button } from '../parts/controls';
import { Icon } from '../parts/icons';
import { SelectChip } from '../parts/select-chip';
import { ResendByFilter } from '../resend/resend-by-filter';
import { type PageFilters, spans, stateNames, writeFilters } from './filters';
import { Finder } from './finder';
import styles from './log.module.css';
import { SaveButton, SavedChip } from './saved-chip';
import type { LiveState } from './use-live-log';
import { getWaitLabel, waitNames } from './waits';

// Forms are loaded when they are opened.
const TimeFilterDialog = lazy(async () => ({
  default: (await import('./time-filter-dialog')).TimeFilterDialog,
}));

export function FilterBar({
  filters,
  live,
  isPaused,
  onPause,
}: {
  filters: PageFilters;
  live: LiveState;
  isPaused: boolean;
  onPause: () => void;
}) {
  const navigate = useNavigate();
  const set = (change: PageFilters) => {
    void navigate({ search: writeFilters({ ...filters, ...change }) });
  };
  const clear = (...names: (keyof PageFilters)[]) => {
    const remaining = Object.entries(filters).filter(
      ([name]) => !names.some((clearedName) => clearedName === name),
    );
    void navigate({ search: writeFilters(Object.fromEntries(remaining)) });
    // The pressed button goes.
    focusFinder();
  };
  const clearAll = () => {
    void navigate({ search: '' });
    focusFinder();
  };
  return (
    <search className="bar filters" aria-label="Filter the log">
      <SavedChip filters={filters} />
      <TimeChip filters={filters} onSet={set} onClear={() => clear('from', 'to', 'last')} />
      <ListChips filters={filters} onSet={set} onClear={clear} />
      {(['reason', 'recipient', 'requestId', 'idempotencyKey', 'metadata'] as const).map((name) => {
        const value = filters[name];
        return value === undefined ? null : (
          <SetChip key={name} name={filterLabels[name]} value={value} onClear={() => clear(name)} />
        );
      })}
      <div className={styles.search}>
        <Finder onFind={set} />
        {writeFilters(filters) !== '' && (
          <Button look="small bare" onClick={clearAll}>
            Clear all
          </Button>
        )}
        <SaveButton filters={filters} />
        <ResendByFilter filters={filters} />
        <LiveButton live={live} isPaused={isPaused} onPause={onPause} />
      </div>
    </search>
  );
}

const filterLabels = {
  reason: 'reason',
  recipient: 'recipient',
  requestId: 'request',
  idempotencyKey: 'idempotency key',
  metadata: 'metadata',
} as const;

function SetChip({
  name,
  value,
  title = value,
  onClear,
}: {
  name: string;
  value: string;
  title?: string;
  onClear: () => void;
}) {
  return (
    <span className="chip set">
      {name}{' '}
      <b className="cut" title={title}>
        {value}
      </b>
      <button type="button" aria-label={`Remove the filter ${name}`} onClick={onClear}>
        <Icon name="x" size={12} />
      </button>
    </span>
  );
}

type ChipProps = {
  filters: PageFilters;
  onSet: (change: PageFilters) => void;
};

function TimeChip({ filters, onSet, onClear }: ChipProps & { onClear: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const { from, to, last } = filters;
  const span = spans.find(({ value }) => value === last);
  if (from || to) {
    const describe = (format: (ms: number) => string) =>
      [from && `from ${format(Number(from))}`, to && `to ${format(Number(to))}`]
        .filter(Boolean)
        .join(' ');
    return (
      <SetChip
        name="time"
        value={describe(formatMoment)}
        title={describe(formatFull)}
        onClear={onClear}
      />
    );
  }
  return (
    <>
      <SelectChip
        name="time"
        value={span?.value}
        options={[
          ...spans.map(({ value, text }) => ({ value, text })),
          { value: 'between', text: 'between…' },
        ]}
        onChange={(value) => {
          if (value === 'between') setOpen(true);
          else if (value) onSet({ last: value });
          else onClear();
        }}
      />
      <Suspense fallback={null}>
        {isOpen && <TimeFilterDialog onSet={onSet} onClose={() => setOpen(false)} />}
      </Suspense>
    </>
  );
}

function ListChips({
  filters,
  onSet,
  onClear,
}: ChipProps & {
  onClear: (name: keyof PageFilters) => void;
}) {
  const app = useApp();
  const { registry } = useSession();
  const events = useAnswer('GET /api/apps/:appId/events', { appId: app.id });
  const integrations = useAnswer('GET /api/apps/:appId/integrations', { appId: app.id });
  const providers = registry.channels.flatMap((channel) => channel.providers);
  const lists = {
    event: (events.value?.events ?? []).map(({ name }) => name),
    channel: registry.channels.map(({ channel }) => channel),
    state: stateNames,
    waits: waitNames,
    provider: [...new Set(providers.map(({ provider }) => provider))],
    integration: (integrations.value?.integrations ?? []).map(({ name }) => name),
  };
  return (['event', 'channel', 'state', 'waits', 'provider', 'integration'] as const).map(
    (name) => (
      <SelectChip
        key={name}
        name={name === 'waits' ? 'waiting' : name}
        value={filters[name]}
        options={lists[name].map((value) => ({
          value,
          text: name === 'waits' ? getWaitLabel(value) : value,
        }))}
        onChange={(value) => (value ? onSet({ [name]: value }) : onClear(name))}
      />
    ),
  );
}

const liveLabels: Record<LiveState, string> = {
  off: 'Not live',
  connecting: 'Connecting',
  live: 'Live',
  away: 'Reconnecting',
};

function LiveButton({
  live,
  isPaused,
  onPause,
}: {
  live: LiveState;
  isPaused: boolean;
  onPause: () => void;
}) {
  return (
    <Button
      look="small"
      aria-pressed={live !== 'off' && !isPaused}
      title={isPaused ? 'Resume live tail (space)' : 'Pause live tail (space)'}
      disabled={live === 'off'}
      onClick={onPause}
    >
      <Icon name="live" size={14} />
      {isPaused ? 'Paused' : liveLabels[live]}
    </Button>
  );
}
