import { createContext, type ReactNode, useContext, useId, useLayoutEffect, useState } from 'react';
import { type Location, useBlocker } from 'react-router';

/** Whether leaving `current` for `next` would lose input. */
type LosesInput = (current: Location, next: Location) => boolean;

type LeaveGuard = {
  /** The operator leaves, and this guard must answer. */
  isAsked: boolean;
  leave: () => void;
  stay: () => void;
};

type Guards = Pick<LeaveGuard, 'leave' | 'stay'> & {
  all: Map<string, LosesInput>;
  /** The guard that must answer. */
  askedId: string | undefined;
};

const GuardsContext = createContext<Guards | undefined>(undefined);

/**
 * The operator leaves once each guard of the page agrees. The newest is asked first: a dialog before the page behind it. React
 * Router cannot do that: of several blockers it asks only the newest.
 */
export function LeaveGuards({ children }: { children: ReactNode }) {
  const [all] = useState(() => new Map<string, LosesInput>());
  const [waiting, setWaiting] = useState<readonly string[]>([]);
  const blocker = useBlocker(({ currentLocation, nextLocation }) => {
    const guards = [...all].filter(([, losesInput]) => losesInput(currentLocation, nextLocation));
    setWaiting(guards.map(([id]) => id).reverse());
    return guards.length > 0;
  });
  function leave() {
    if (waiting.length > 1) setWaiting(waiting.slice(1));
    else blocker.proceed?.();
  }
  const askedId = blocker.state === 'blocked' ? waiting[0] : undefined;
  const value = { all, askedId, leave, stay: () => blocker.reset?.() };
  return <GuardsContext value={value}>{children}</GuardsContext>;
}

/** One guard of the page. `losesInput` is called at each change of the URL. */
export function useLeaveGuard(losesInput: LosesInput): LeaveGuard {
  const guards = useContext(GuardsContext);
  if (!guards) throw new Error('useLeaveGuard needs LeaveGuards around it.');
  const { all, askedId, leave, stay } = guards;
  const id = useId();
  // A known ID keeps its place in the map.
  useLayoutEffect(() => void all.set(id, losesInput));
  useLayoutEffect(() => () => void all.delete(id), [all, id]);
  return { isAsked: askedId === id, leave, stay };
}
