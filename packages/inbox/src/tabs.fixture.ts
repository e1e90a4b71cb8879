import type { Platform, Times } from './platform';

/** Short, so that a test can wait for them. */
const shortTimes: Times = {
  callMs: 2_000,
  retryMs: 10,
  openMs: 1_000,
  idleMs: 1_000,
  reopenMs: 20,
  maxReopenMs: 200,
  pollMs: 40,
  hiddenMs: 40,
  releaseMs: 20,
};

export type Tab = {
  platform: Platform;
  show(): void;
  hide(): void;
  setOnline(isOnline: boolean): void;
};

/** The parts of a browser that its tabs share: locks and channels. */
export function createBrowser() {
  const locks = createLocks();
  const channels = new Set<TestChannel>();

  function openTab(times: Partial<Times> = {}, parts: Partial<Platform> = {}): Tab {
    const listeners = new Set<() => void>();
    let isVisible = true;
    let isOnline = true;
    const change = (apply: () => void) => {
      apply();
      for (const listener of [...listeners]) listener();
    };
    const platform: Platform = {
      fetch: (...args) => fetch(...args),
      locks,
      // The client uses only what the test channel has.
      openChannel: (name) => new TestChannel(name, channels) as unknown as BroadcastChannel,
      isVisible: () => isVisible,
      isOnline: () => isOnline,
      watch(listener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
      random: () => 0.5,
      now: Date.now,
      times: { ...shortTimes, ...times },
      ...parts,
    };
    return {
      platform,
      show: () => change(() => (isVisible = true)),
      hide: () => change(() => (isVisible = false)),
      setOnline: (next) => change(() => (isOnline = next)),
    };
  }

  return { openTab, channels, countWaiting: locks.countWaiting };
}

type Work = () => Promise<unknown>;

/** Exclusive locks, as the Web Locks API grants them: in the order of the requests. */
function createLocks() {
  const queues = new Map<string, Promise<unknown>>();
  let waiting = 0;

  async function request(name: string, { signal }: { signal: AbortSignal }, work: Work) {
    const previous = queues.get(name) ?? Promise.resolve();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    queues.set(
      name,
      previous.then(() => held),
    );
    waiting += 1;
    try {
      await Promise.race([previous, rejectOnAbort(signal)]);
    } catch (error) {
      release();
      throw error;
    } finally {
      waiting -= 1;
    }
    return work().finally(release);
  }

  // The client uses only this form of the call.
  return { request: request as unknown as LockManager['request'], countWaiting: () => waiting };
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason));
  });
}

type Listener = (event: { data: unknown }) => void;

class TestChannel {
  readonly #name: string;
  readonly #channels: Set<TestChannel>;
  readonly #listeners: Listener[] = [];

  constructor(name: string, channels: Set<TestChannel>) {
    this.#name = name;
    this.#channels = channels;
    channels.add(this);
  }

  addEventListener(_type: 'message', listener: Listener): void {
    this.#listeners.push(listener);
  }

  postMessage(data: unknown): void {
    for (const channel of this.#channels) {
      if (channel !== this && channel.#name === this.#name) channel.#receive(structuredClone(data));
    }
  }

  #receive(data: unknown): void {
    setTimeout(() => {
      if (this.#channels.has(this)) for (const listener of this.#listeners) listener({ data });
    });
  }

  close(): void {
    this.#channels.delete(this);
  }
}
