import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { ItemRange, RequestItem } from '@belfry/pipeline/operate';
import express from 'express';
import type { ReadItems } from '../request-items';
import { createRequestItemHandlers } from './request-items';

const requestId = '01900000-0000-7000-8000-000000000000';
const items = 5_000;

function createItems({ from, to }: ItemRange): RequestItem[] {
  const message = { messageId: null, channel: 'email', target: null, generation: 0 } as const;
  const entries = [{ ...message, state: 'sent', reason: null, settledAt: null } as const];
  const recipient = JSON.stringify({ user_id: 'u'.repeat(500) });
  return Array.from({ length: to - from }, (_, n) => ({ item: from + n, recipient, entries }));
}

function startExport(readItems: ReadItems, res: object) {
  const handlers = createRequestItemHandlers({ readItems, countItems: async () => items });
  const call = { res, app: { id: 'app' }, path: { requestId }, query: {} };
  // The handler reads only these members.
  return handlers['GET /api/apps/:appId/requests/:requestId/items.csv'](call as never);
}

test('an export that fails halfway ends the connection, so that the file is not taken for whole', async () => {
  const readItems: ReadItems = async (range) => {
    if (range.from >= 1_000) throw new Error('away');
    return createItems(range);
  };
  const app = express();
  app.get('/', (_req, res) => void startExport(readItems, res).catch(() => undefined));
  const server = app.listen(0);
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}/`);
  await expect(response.text()).rejects.toThrow('terminated');
  server.close();
});

test('an export reads no further while the browser takes nothing, and a cancelled download is no error', async () => {
  let pages = 0;
  const readItems: ReadItems = async (range) => {
    pages += 1;
    return createItems(range);
  };
  const browser = Object.assign(new Writable({ write: () => undefined }), { set: () => undefined });
  const ended = startExport(readItems, browser);
  for (let turn = 0; turn < 100; turn += 1) await setImmediate();
  expect(pages).toBeLessThan(5);
  browser.destroy();
  await expect(ended).resolves.toBeUndefined();
});
