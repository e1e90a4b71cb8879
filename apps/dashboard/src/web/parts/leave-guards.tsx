import { createContext, type ReactNode, useContext, useId, useLayoutEffect, useState } from 'react';
import { type Location, useBlocker, useLocation } from 'react-router';

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
  leaveBy: (act: () => void) => void;
};

const GuardsContext = createContext<Guards | undefined>(undefined);

/**
 * The operator leaves once each guard of the page agrees. The newest is asked first: a dialog before the page behind it. React
 * Router cannot do that: of several blockers it asks only the newest.
 */
export function LeaveGuards({ children }: { children: ReactNode }) {
  const [all] = useState(() => new Map<string, LosesInput>());
  const [waiting, setWaiting] = useState<readonly string[]>([]);
  /** The act by which the operator leaves; undefined if it is a link. */
  const [pending, setPending] = useState<() => void>();
  const location = useLocation();
  function mustAsk(current: Location, next: Location): boolean {
    const guards = [...all].filter(([, losesInput]) => losesInput(current, next));
    setWaiting(guards.map(([id]) => id).reverse());
    return guards.length > 0;
  }
  const blocker = useBlocker(({ currentLocation, nextLocation }) =>
    mustAsk(currentLocation, nextLocation),
  );
  function leaveBy(act: () => void) {
    if (mustAsk(location, { ...location, pathname: '/', search: '' })) setPending(() => act);
    else act();
  }
  function leave() {
    if (waiting.length > 1) return setWaiting(waiting.slice(1));
    setPending(undefined);
    if (pending) pending();
    else blocker.proceed?.();
  }
  function stay() {
    setPending(undefined);
    blocker.reset?.();
  }
  const isLeaving = blocker.state === 'blocked' || pending !== undefined;
  const value = { all, askedId: isLeaving ? waiting[0] : undefined, leave, stay, leaveBy };
  return <GuardsContext value={value}>{children}</GuardsContext>;
}

/** Returns a function that acts once each guard of the page agrees that the operator leaves it. */
export function useLeaveBy(): (act: () => void) => void {
  return useGuards().leaveBy;
}

function useGuards(): Guards {
  const guards = useContext(GuardsContext);
  if (!guards) throw new Error('A leave guard needs LeaveGuards around it.');
  return guards;
}

/** One guard of the page. `losesInput` is called at each change of the URL. */
export function useLeaveGuard(losesInput: LosesInput): LeaveGuard {
  const { all, askedId, leave, stay } = useGuards();
  const id = useId();
  // A known ID keeps its place in the map.
  useLayoutEffect(() => void all.set(id, losesInput));
  useLayoutEffect(() => () => void all.delete(id), [all, id]);
  return { isAsked: askedId === id, leave, stay };
}
