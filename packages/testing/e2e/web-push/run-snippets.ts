import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createContext, runInContext } from 'node:vm';
import type { WebPushSimulator } from '@belfry/testing';

const page = path.resolve(__dirname, '../../../../docs/how-to/send-web-push.md');

type Notification = { title: string; options: { body?: string; tag?: string; data: object } };
type Device = { device_sid: string; push_subscription: { endpoint: string } };

/** A browser that runs the snippets of the how-to; its push service is the simulator. */
export type Browser = {
  subscribe(userId: string, token: string): Promise<Device>;
  /** Runs the service worker's handler of an event, until everything that it waits for has ended. */
  dispatch(type: string, event: object): Promise<void>;
  notifications: Notification[];
  openedUrls: string[];
};

export function openBrowser(appUrl: string, simulator: WebPushSimulator): Browser {
  const text = readFileSync(page, 'utf8');
  const [pageCode = '', workerCode = ''] = [...text.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(
    ([, code = '']) => code.replace('https://notify.example.com/v1/apps/<app id>', appUrl),
  );
  const worker = openWorker(workerCode);
  return { ...worker, subscribe: openPage(pageCode, simulator) };
}

type Options = { applicationServerKey: string };

function openPage(code: string, simulator: WebPushSimulator): Browser['subscribe'] {
  let current: object | null = null;
  const pushManager = {
    getSubscription: async () => current,
    async subscribe({ applicationServerKey }: Options) {
      const subscription = simulator.subscribe(applicationServerKey);
      const key = Uint8Array.from(Buffer.from(applicationServerKey, 'base64url')).buffer;
      current = {
        options: { applicationServerKey: key },
        toJSON: () => ({ ...subscription, expirationTime: null }),
        async unsubscribe() {
          simulator.unsubscribe(subscription.endpoint);
          current = null;
        },
      };
      return current;
    },
  };
  const serviceWorker = {
    register: async () => undefined,
    ready: Promise.resolve({ pushManager }),
  };
  const context = createContext({ navigator: { serviceWorker }, fetch, btoa, encodeURIComponent });
  // A script has no exports.
  runInContext(code.replace('export async', 'async'), context);
  return runInContext('subscribe', context) as Browser['subscribe'];
}

type Listener = (event: object) => void;

function openWorker(code: string): Omit<Browser, 'subscribe'> {
  const listeners = new Map<string, Listener>();
  const notifications: Notification[] = [];
  const openedUrls: string[] = [];
  const self = {
    addEventListener: (type: string, listener: Listener) => listeners.set(type, listener),
    registration: {
      async showNotification(title: string, options: Notification['options']) {
        notifications.push({ title, options });
      },
    },
    clients: { openWindow: async (url: string) => openedUrls.push(url) },
  };
  runInContext(code, createContext({ self, fetch, Date }));
  return {
    notifications,
    openedUrls,
    async dispatch(type, event) {
      const waits: unknown[] = [];
      listeners.get(type)?.({ ...event, waitUntil: (wait: unknown) => waits.push(wait) });
      await Promise.all(waits);
    },
  };
}
