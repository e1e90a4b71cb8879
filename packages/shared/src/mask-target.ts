const shownOfPhone = 5;
const shownOfOther = 4;
const hidden = '***';

/** Keeps enough of an address to distinguish it, too little to send to it. */
export function maskTarget(channel: string, target: string): string {
  if (channel === 'email') return maskEmail(target);
  if (isEndpoint(target)) return maskEndpoint(target);
  if (target.startsWith('+')) return `${target.slice(0, shownOfPhone)}${hidden}${target.slice(-2)}`;
  return `${target.slice(0, shownOfOther)}${hidden}`;
}

/**
 * Hides the path of a web push endpoint: whoever knows it may send to it (RFC 8030, sections 8.3 and 8.5). Other texts are returned
 * unchanged.
 */
export function maskEndpoint(target: string): string {
  if (!isEndpoint(target) || !URL.canParse(target)) return target;
  const shown = target.length > 2 * minHiddenCharacters ? target.slice(-shownOfOther) : '';
  return `${new URL(target).origin}/${hidden}${shown}`;
}

const minHiddenCharacters = 32;

function isEndpoint(target: string): boolean {
  return target.startsWith('https://');
}

function maskEmail(address: string): string {
  const at = address.lastIndexOf('@');
  return at < 1 ? hidden : `${address.slice(0, 1)}${hidden}${address.slice(at)}`;
}
