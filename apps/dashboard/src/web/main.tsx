import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { RouterProvider } from 'react-router';
import { createQueryClient } from './answers';
import { createApi } from './api';
import { type Services, ServicesContext } from './context';
import { restoreZone } from './dates';
import { createRouter } from './router';
import './styles/shared.css';

main();

function main() {
  // The server writes the depth of the path into <base>, so it is the root of the page for every path.
  const root = new URL('./', document.baseURI);
  const meta = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]');
  const nonce = meta?.nonce ?? '';
  // Radix adds a style while a dialog is open, and reads its nonce here.
  Object.assign(globalThis, { __webpack_nonce__: nonce });
  restoreZone();
  const services: Services = {
    nonce,
    api: createApi({
      root,
      fetch: window.fetch.bind(window),
      onSignedOut: () => document.dispatchEvent(new Event('belfry:signed-out')),
    }),
  };
  const place = document.getElementById('page');
  if (!place) throw new Error('index.html has no element #page');
  createRoot(place).render(
    <StrictMode>
      <ServicesContext value={services}>
        <QueryClientProvider client={createQueryClient()}>
          <RouterProvider router={createRouter(root)} />
        </QueryClientProvider>
      </ServicesContext>
    </StrictMode>,
  );
}
