import { useEffect, useEffectEvent, useState } from 'react';
import type { LogRow } from '../../api/log';
import { useTools } from '../context';

export type LiveState = 'off' | 'connecting' | 'live' | 'away';

type LiveLog = {
  appId: string;
  query: string;
  isOn: boolean;
  after: string | undefined;
  onRows: (rows: LogRow[]) => void;
  onChanged: (rows: LogRow[]) => void;
};

/** Follows the log by server-sent events; the browser connects again by itself. */
export function useLiveLog({ appId, query, isOn, after, ...on }: LiveLog) {
  const { api } = useTools();
  const [state, setState] = useState<LiveState>('off');
  const tell = useEffectEvent((name: string, text: string) => {
    setState(name === 'trouble' ? 'away' : 'live');
    if (name === 'ended') document.dispatchEvent(new Event('belfry:signed-out'));
    if (name !== 'rows' && name !== 'changed') return;
    // The server writes what src/api/log.ts says of these two events.
    const { rows } = JSON.parse(text) as { rows: LogRow[] };
    if (name === 'rows') on.onRows(rows);
    else on.onChanged(rows);
  });
  const begin = useEffectEvent(() => {
    const asked = new URLSearchParams(query);
    if (after) asked.set('after', after);
    return new EventSource(api.urlOf(api.liveLogPath(appId, asked.toString())));
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list is another stream; `after` is read once.
  useEffect(() => {
    if (!isOn) return setState('off');
    setState('connecting');
    const source = begin();
    source.onopen = () => setState('live');
    source.onerror = () => setState('away');
    for (const name of ['rows', 'changed', 'trouble', 'ended']) {
      source.addEventListener(name, ({ data }: MessageEvent<string>) => tell(name, data));
    }
    return () => source.close();
  }, [api, appId, query, isOn]);
  return state;
}
