import type { Request, Response } from 'express';

/** Over HTTPS the prefix keeps other hosts and plain HTTP from setting the cookie. */
export function cookieName(name: string, isHttps: boolean): string {
  return isHttps ? `__Host-${name}` : name;
}

/** Every value that was sent under a name: more than one means that somebody else set one. */
export function readCookies(req: Request, name: string): string[] {
  const pairs = (req.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}

/** No script reads it, and no other site sends it along with a form. An empty value removes it. */
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
