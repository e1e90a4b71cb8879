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

function createExports(readItems: ReadItems, limits: { maxExportMs?: number } = {}) {
  const countItems = async () => items;
  const handlers = createRequestItemHandlers({ readItems, countItems, ...limits });
  return function startExport(res: object, operatorId = 'ana') {
    const session = { operator: { id: operatorId } };
    const call = { res, session, app: { id: 'app' }, path: { requestId }, query: {} };
    // The handler reads only these members.
    return handlers['GET /api/apps/:appId/requests/:requestId/items.csv'](call as never);
  };
}

/** A browser that takes nothing. */
const createBrowser = () =>
  Object.assign(new Writable({ write: () => undefined }), { set: () => undefined });

test('an export that fails halfway ends the connection, so that the file is not taken for whole', async () => {
  const readItems: ReadItems = async (range) => {
    if (range.from >= 1_000) throw new Error('away');
    return createItems(range);
  };
  const app = express();
  const startExport = createExports(readItems);
  app.get('/', (_req, res) => void startExport(res).catch(() => undefined));
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
  const browser = createBrowser();
  const ended = createExports(readItems)(browser);
  for (let turn = 0; turn < 100; turn += 1) await setImmediate();
  expect(pages).toBeLessThan(5);
  browser.destroy();
  await expect(ended).resolves.toBeUndefined();
});

test('an export that takes too long is cut off, and this is no internal error', async () => {
  const ended = createExports(async (range) => createItems(range), { maxExportMs: 20 })(
    createBrowser(),
  );
  await expect(ended).rejects.toMatchObject({
    code: 'unavailable',
    message: 'The export was cut off after 0.02 seconds.',
  });
});

test('an operator exports one file at once, and all together export four', async () => {
  const startExport = createExports(async (range) => createItems(range));
  const browsers = ['ana', 'ben', 'eva', 'kim'].map((operatorId) => {
    const browser = createBrowser();
    return { browser, ended: startExport(browser, operatorId) };
  });
  await setImmediate();
  await expect(startExport(createBrowser(), 'ana')).rejects.toMatchObject({
    code: 'unavailable',
    message: 'Another export of yours is running. Wait until it ends.',
  });
  await expect(startExport(createBrowser(), 'leo')).rejects.toMatchObject({
    code: 'unavailable',
    message: '4 operators are exporting files. Try again in 10 seconds.',
  });
  const [first] = browsers;
  first?.browser.destroy();
  await first?.ended;
  const last = createBrowser();
  const ended = startExport(last, 'ana');
  await setImmediate();
  for (const { browser } of [...browsers, { browser: last }]) browser.destroy();
  await Promise.all([...browsers.map((one) => one.ended), ended]);
});

test('an export whose first page cannot be read frees its place', async () => {
  const startExport = createExports(() => Promise.reject(new Error('away')));
  await expect(startExport(createBrowser())).rejects.toThrow('away');
  await expect(startExport(createBrowser())).rejects.toThrow('away');
});
