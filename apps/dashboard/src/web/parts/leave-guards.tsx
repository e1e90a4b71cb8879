import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useId,
  useLayoutEffect,
  useState,
} from 'react';
import { type Location, useBlocker } from 'react-router';

/** Whether leaving `current` for `next` would lose input. */
type Holds = (current: Location, next: Location) => boolean;

type LeaveGuard = {
  /** The operator leaves, and this guard must answer. */
  isAsked: boolean;
  leave: () => void;
  stay: () => void;
};

type Guards = {
  all: Map<string, Holds>;
  /** The guard that must answer. */
  askedId: string | undefined;
  leave: () => void;
  stay: () => void;
};

const GuardsContext = createContext<Guards | undefined>(undefined);

/**
 * Holds the way out of a page until each of its guards agrees, the newest first: a dialog before the page behind it. React
 * Router cannot do that: of several blockers it asks only one.
 */
export function LeaveGuards({ children }: { children: ReactNode }) {
  const [all] = useState(() => new Map<string, Holds>());
  const [waiting, setWaiting] = useState<readonly string[]>([]);
  const blocker = useBlocker(({ currentLocation, nextLocation }) => {
    const holding = [...all].filter(([, holds]) => holds(currentLocation, nextLocation));
    setWaiting(holding.map(([id]) => id).reverse());
    return holding.length > 0;
  });
  function leave() {
    if (waiting.length > 1) setWaiting(waiting.slice(1));
    else blocker.proceed?.();
  }
  const askedId = blocker.state === 'blocked' ? waiting[0] : undefined;
  const guards = { all, askedId, leave, stay: () => blocker.reset?.() };
  return <GuardsContext value={guards}>{children}</GuardsContext>;
}

/** One guard of the page. `holds` is asked at each change of the URL. */
export function useLeaveGuard(holds: Holds): LeaveGuard {
  const guards = useContext(GuardsContext);
  if (!guards) throw new Error('useLeaveGuard needs LeaveGuards around it.');
  const { all, askedId, leave, stay } = guards;
  const id = useId();
  // A known ID keeps its place in the map.
  useLayoutEffect(() => void all.set(id, holds));
  useEffect(() => () => void all.delete(id), [all, id]);
  return { isAsked: askedId === id, leave, stay };
}
