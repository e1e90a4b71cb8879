'use client';
import {
  createContext,
  createElement,
  type ReactElement,
  type ReactNode,
  useContext,
  useEffect,
  useInsertionEffect,
  useMemo,
  useRef,
  useSyncExternalStore,
} from 'react';
import type { BelfryBellElement, BelfryInboxElement, InboxStrings } from './elements';
import { defineElements } from './elements/define';
import { createInbox } from './inbox';
import { initialSnapshot } from './store';
import type {
  Inbox as InboxClient,
  InboxCounts,
  InboxItem,
  InboxOptions,
  InboxSnapshot,
} from './types';

defineElements();

const InboxContext = createContext<InboxClient | undefined>(undefined);

export type InboxProviderProps = (InboxOptions | { inbox: InboxClient }) & { children?: ReactNode };

/** Gives its children one inbox: the one of `inbox`, or one with these options. */
export function InboxProvider(props: InboxProviderProps): ReactElement {
  const { children } = props;
  const inbox = useOwnInbox(props);
  return createElement(InboxContext.Provider, { value: inbox }, children);
}

/** Creating an inbox connects nothing, so React may do it twice. It connects while a component uses it. */
function useOwnInbox(props: InboxProviderProps): InboxClient {
  const latest = useRef(props);
  // Before the effects of the children, which subscribe: a new user's inbox must not get a token of the former one.
  useInsertionEffect(() => {
    latest.current = props;
  });
  const ownInbox = 'inbox' in props ? props.inbox : undefined;
  const {
    url = '',
    appId = '',
    userId = '',
    signature,
    pageSize,
    maxItems,
    getToken,
  } = 'inbox' in props ? {} : props;
  const hasToken = getToken !== undefined;
  return useMemo(() => {
    if (ownInbox) return ownInbox;
    // A function that is new with each rendering must not create a new inbox.
    const getLatestToken = () => {
      const current = latest.current;
      return ('getToken' in current && current.getToken?.()) || '';
    };
    const options = { url, appId, userId, signature, pageSize, maxItems };
    return createInbox({ ...options, getToken: hasToken ? getLatestToken : undefined });
  }, [ownInbox, url, appId, userId, signature, pageSize, maxItems, hasToken]);
}

function useInboxClient(): InboxClient {
  const inbox = useContext(InboxContext);
  if (!inbox) throw new Error('Put an InboxProvider around this component');
  return inbox;
}

function useSnapshot({ subscribe, getSnapshot }: InboxClient): InboxSnapshot {
  return useSyncExternalStore(subscribe, getSnapshot, () => initialSnapshot);
}

/** The current items and counts, and the calls that load and change them. */
export function useInbox(): InboxSnapshot & Omit<InboxClient, 'subscribe' | 'getSnapshot'> {
  const inbox = useInboxClient();
  const snapshot = useSnapshot(inbox);
  return useMemo(() => ({ ...inbox, ...snapshot }), [inbox, snapshot]);
}

export function useCounts(): InboxCounts {
  return useSnapshot(useInboxClient()).counts;
}

export function useUnreadCount(): number {
  return useCounts().unread;
}

export type InboxComponentProps = {
  theme?: 'light' | 'dark';
  lang?: string;
  strings?: Partial<InboxStrings>;
  className?: string;
  /** The reader follows a link; `preventDefault` lets your router do it. */
  onOpen?(event: CustomEvent<{ item: InboxItem }>): void;
};

export type BellProps = InboxComponentProps & { badge?: 'unseen' | 'unread' };

/** `<belfry-bell>` with the inbox of the provider. */
export function Bell({ badge, ...props }: BellProps): ReactElement {
  const ref = useElement<BelfryBellElement>(props);
  return createElement('belfry-bell', { ref, badge, ...toAttributes(props) });
}

/** `<belfry-inbox>` with the inbox of the provider. */
export function Inbox(props: InboxComponentProps): ReactElement {
  const ref = useElement<BelfryInboxElement>(props);
  return createElement('belfry-inbox', { ref, ...toAttributes(props) });
}

function toAttributes({ theme, lang, className }: InboxComponentProps) {
  return { theme, lang, class: className };
}

/** React before version 19 sets no properties of custom elements. */
function useElement<Element extends BelfryBellElement | BelfryInboxElement>({
  strings,
  onOpen,
}: InboxComponentProps) {
  const ref = useRef<Element>(null);
  const inbox = useInboxClient();
  useEffect(() => {
    if (ref.current) Object.assign(ref.current, { inbox, strings });
  }, [inbox, strings]);
  useEffect(() => {
    const element = ref.current;
    if (!element || !onOpen) return undefined;
    const listener = (event: Event) => onOpen(event as CustomEvent<{ item: InboxItem }>);
    element.addEventListener('belfry-open', listener);
    return () => element.removeEventListener('belfry-open', listener);
  }, [onOpen]);
  return ref;
}
