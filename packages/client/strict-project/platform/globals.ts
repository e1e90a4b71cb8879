// With the DOM's types or Node's: their own fetch, Response and AbortSignal are accepted.
import { createBelfryClient } from '@belfry/client';

const options = { baseUrl: 'https://notify.example.com', apiKey: 'key', appId: 'app' };

export const belfry = createBelfryClient({ ...options, fetch: globalThis.fetch });

export const logged = createBelfryClient({
  ...options,
  fetch: async (url, init) => {
    const signal: AbortSignal = init.signal;
    return signal.aborted ? new Response('', { status: 503 }) : fetch(url, init);
  },
});

const { signal } = new AbortController();
export const answer = belfry.events.send({ event: 'order_shipped' }, { signal });
