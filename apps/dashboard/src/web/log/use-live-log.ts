import { useEffect, useEffectEvent, useState } from 'react';
import type { LogFilters, LogRow } from '../../api/log';
import { useServices } from '../context';

export type LiveState = 'off' | 'connecting' | 'live' | 'away';

type LiveLog = {
  appId: string;
  /** Another object opens another stream. */
  query: LogFilters;
  isOn: boolean;
  onRows: (rows: LogRow[]) => void;
  onChanged: (rows: LogRow[]) => void;
  onLag: (lagSeconds: number) => void;
  /** Called after a reconnect. */
  onReconnect: () => void;
};

type LiveData = { rows?: LogRow[]; lagSeconds?: number };

const reopenAfterMs = 5_000;

/** Follows the log by server-sent events; the browser reconnects automatically. */
export function useLiveLog({ appId, query, isOn, ...on }: LiveLog) {
  const { api } = useServices();
  const [state, setState] = useState<LiveState>('off');
  const [reopenCount, setReopenCount] = useState(0);
  const applyEvent = useEffectEvent((name: string, text: string) => {
    setState(name === 'trouble' ? 'away' : 'live');
    if (name === 'ended') document.dispatchEvent(new Event('belfry:signed-out'));
    // The server builds these events from the types in src/api/log.ts.
    const { rows = [], lagSeconds = 0 }: LiveData = JSON.parse(text);
    if (name === 'rows') on.onRows(rows);
    else if (name === 'changed') on.onChanged(rows);
    else if (name === 'lag') on.onLag(lagSeconds);
  });
  const openStream = useEffectEvent(() => {
    return new EventSource(api.getUrl('GET /api/apps/:appId/log/live', { appId, query }));
  });
  const notifyReconnect = useEffectEvent(() => on.onReconnect());
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list needs another stream.
  useEffect(() => {
    if (!isOn) return setState('off');
    setState('connecting');
    let wasDisconnected = reopenCount > 0;
    let retry: number | undefined;
    const source = openStream();
    source.onopen = () => {
      setState('live');
      if (wasDisconnected) notifyReconnect();
      wasDisconnected = false;
    };
    source.onerror = () => {
      setState('away');
      wasDisconnected = true;
      // After a non-stream response, such as a 502 of a proxy, the browser does not reconnect.
      if (source.readyState === EventSource.CLOSED) {
        retry = window.setTimeout(() => setReopenCount(reopenCount + 1), reopenAfterMs);
      }
    };
    for (const name of ['rows', 'changed', 'lag', 'trouble', 'ended']) {
      source.addEventListener(name, ({ data }: MessageEvent<string>) => applyEvent(name, data));
    }
    return () => {
      window.clearTimeout(retry);
      source.close();
    };
  }, [api, appId, query, isOn, reopenCount]);
  return state;
}
