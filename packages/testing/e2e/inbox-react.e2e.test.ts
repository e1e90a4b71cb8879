import { eventually } from '@belfry/testing';
import { bundle } from '../../inbox/src/bundle.fixture';
import { testInBrowser } from './dashboard/open-dashboard';
import { openSite, type Site } from './inbox/open-site';

jest.setTimeout(120_000);

let site: Site;

beforeAll(async () => {
  site = await openSite();
});

afterAll(() => site?.close());

const app = `
import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { Bell, Inbox, InboxProvider, useInbox, useUnreadCount } from '@belfry/inbox/react';

const query = new URLSearchParams(location.search);

function Count() {
  const { markAllRead } = useInbox();
  return <button onClick={markAllRead}>Unread: {useUnreadCount()}</button>;
}

function App() {
  const [isOpen, setOpen] = useState(true);
  const [userId, setUserId] = useState(query.get('user'));
  // A new function with each rendering.
  const getToken = async () => (await fetch('token?user=' + userId)).text();
  const onOpen = (event) => {
    event.preventDefault();
    document.title = event.detail.item.message_body.title;
  };
  return (
    <InboxProvider url={query.get('gateway')} appId={query.get('app')} userId={userId} getToken={getToken}>
      {isOpen && <><Count /><Bell onOpen={onOpen} strings={{ title: 'News' }} /><Inbox onOpen={onOpen} /></>}
      <button onClick={() => setOpen(!isOpen)}>Toggle</button>
      <button onClick={() => setUserId('bob')}>Switch</button>
    </InboxProvider>
  );
}

createRoot(document.querySelector('main')).render(<StrictMode><App /></StrictMode>);
`;

const streamCalls = (userId: string) =>
  site.gateway.calls.filter((call) => call.path === 'stream' && call.userId === userId).length;

testInBrowser(
  'the React components work in StrictMode with one stream, which ends with the last component',
  async () => {
    site.addFile(
      '/react.html',
      '<!doctype html><main></main><script type="module" src="app.js"></script>',
    );
    site.addFile('/app.js', await bundle(app));
    const reader = site.gateway.getReader('ana');
    reader.add({ title: 'First', click_action: '/first' });
    const { page, problems } = await site.openPage({ file: 'react.html' });
    await page.getByRole('button', { name: 'Unread: 1' }).waitFor();
    await page.getByRole('button', { name: /^News/ }).waitFor();
    reader.add({ title: 'Second' });
    await page.getByRole('button', { name: 'Unread: 2' }).click();
    await page.getByRole('button', { name: 'Unread: 0' }).waitFor();
    await page.getByRole('link', { name: 'First' }).click();
    await eventually(async () => expect(await page.title()).toBe('First'));
    expect([streamCalls('ana'), site.gateway.streams.size]).toEqual([1, 1]);
    await page.getByRole('button', { name: 'Toggle' }).click();
    await eventually(() => expect(site.gateway.streams.size).toBe(0));
    reader.add({ title: 'Third' });
    await page.getByRole('button', { name: 'Toggle' }).click();
    await page.getByRole('article', { name: /Third/ }).waitFor();
    await page.getByRole('button', { name: 'Switch' }).click();
    await page.getByRole('button', { name: 'Unread: 0' }).waitFor();
    await eventually(() => expect([streamCalls('bob'), site.gateway.streams.size]).toEqual([1, 1]));
    expect(problems).toEqual([]);
  },
);
