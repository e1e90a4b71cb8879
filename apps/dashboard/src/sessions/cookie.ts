import type { IncomingMessage } from 'node:http';
import { type IsTrustedProxy, isHttps } from '@belfry/runtime';
import type { Response } from 'express';

export type SessionCookie = {
  read(req: IncomingMessage): string | undefined;
  set(req: IncomingMessage, res: Response, token: string): void;
  clear(req: IncomingMessage, res: Response): void;
};

const secureName = '__Host-belfry_session';
const plainName = 'belfry_session';

/** Over TLS the browser itself binds the cookie to this host; plain HTTP, where it is allowed at all, has no such cookie. */
export function createSessionCookie(isTrustedProxy: IsTrustedProxy): SessionCookie {
  function write(req: IncomingMessage, res: Response, value: string): void {
    const isSecure = isHttps(req, isTrustedProxy);
    const start = `${isSecure ? secureName : plainName}=${value}`;
    const flags = ['Path=/', 'HttpOnly', 'SameSite=Strict', ...(isSecure ? ['Secure'] : [])];
    res.append('Set-Cookie', [start, ...flags].join('; '));
  }

  return {
    read(req) {
      const name = isHttps(req, isTrustedProxy) ? secureName : plainName;
      return readValue(req.headers.cookie ?? '', name);
    },
    set: write,
    clear: (req, res) => write(req, res, '; Max-Age=0'),
  };
}

function readValue(header: string, name: string): string | undefined {
  return header
    .split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);
}
