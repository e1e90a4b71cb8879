import { call, type HttpAnswer, type HttpCall } from './http-call';

/** An operator's browser: it keeps cookies and sends its own page as the origin. */
export type Browser = {
  send(method: string, path: string, body?: unknown, more?: HttpCall): Promise<HttpAnswer>;
  /** Like `send`, but the answer must be 200; returns its body. */
  sendOk(method: string, path: string, body?: unknown): Promise<HttpAnswer['body']>;
  cookie(): string;
  /** A browser with the same cookies. */
  copy(): Browser;
};

export function openBrowser(dashboardUrl: string, cookies = new Map<string, string>()): Browser {
  const cookie = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');

  async function send(method: string, path: string, body?: unknown, more: HttpCall = {}) {
    const answer = await call(dashboardUrl, path, {
      method,
      ...more,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      headers: {
        origin: dashboardUrl,
        'content-type': 'application/json',
        ...(cookies.size > 0 ? { cookie: cookie() } : {}),
        ...more.headers,
      },
    });
    for (const setCookie of answer.headers['set-cookie'] ?? []) storeCookie(setCookie);
    return answer;
  }

  function storeCookie(setCookie: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(setCookie) ?? [];
    if (value === '') cookies.delete(name);
    else cookies.set(name, value);
  }

  return {
    send,
    async sendOk(method, path, body) {
      const answer = await send(method, path, body);
      if (answer.status === 200) return answer.body;
      throw new Error(`${method} ${path}: ${answer.status} ${answer.text.slice(0, 300)}`);
    },
    cookie,
    copy: () => openBrowser(dashboardUrl, new Map(cookies)),
  };
}
