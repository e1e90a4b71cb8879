import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { Bell, Inbox, InboxProvider, useCounts, useInbox, useUnreadCount } from './react';

const options = { url: 'http://localhost', appId: 'app', userId: 'ana' };

function Counts() {
  const { status, items } = useInbox();
  return `${status}, ${items.length} of ${useCounts().unseen}, ${useUnreadCount()} unread`;
}

describe('on a server', () => {
  test('the module can be imported and rendered, and loads nothing', () => {
    const fetch = jest.fn();
    const getToken = jest.fn();
    const html = renderToString(
      createElement(
        InboxProvider,
        { ...options, getToken, fetch },
        createElement(Counts),
        createElement(Bell, { theme: 'dark', badge: 'unread', className: 'bell' }),
        createElement(Inbox, { lang: 'de' }),
      ),
    );
    expect(html).toBe(
      'loading, 0 of 0, 0 unread<belfry-bell badge="unread" theme="dark" class="bell"></belfry-bell>' +
        '<belfry-inbox lang="de"></belfry-inbox>',
    );
    expect([fetch, getToken].flatMap(({ mock }) => mock.calls)).toEqual([]);
  });

  test('a component without provider names it', () => {
    expect(() => renderToString(createElement(Bell))).toThrow('InboxProvider');
  });
});
