import type { Request, Response } from 'express';

/** Over HTTPS the prefix stops other hosts and plain HTTP from setting the cookie. */
export function cookieName(name: string, isHttps: boolean): string {
  return isHttps ? `__Host-${name}` : name;
}

/** All values sent under a name. More than one means that another program set one. */
export function readCookies(req: Request, name: string): string[] {
  const pairs = (req.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}

/** HttpOnly and SameSite. An empty value removes the cookie. */
export function setCookie(
  res: Response,
  name: string,
  { value, isHttps, maxAgeMs }: { value: string; isHttps: boolean; maxAgeMs: number },
): void {
  res.cookie(name, value, {
    path: '/',
    httpOnly: true,
    secure: isHttps,
    sameSite: 'lax',
    maxAge: value === '' ? 0 : maxAgeMs,
  });
}
