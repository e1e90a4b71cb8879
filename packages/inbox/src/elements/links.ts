const schemes = ['http:', 'https:'];

/** The address, if it is http, https or relative; undefined for every other scheme, such as `javascript:`. */
export function findSafeUrl(url: string | undefined, base: string): string | undefined {
  if (!url) return undefined;
  try {
    const { protocol, href } = new URL(url, base);
    return schemes.includes(protocol) ? href : undefined;
  } catch {
    return undefined;
  }
}
