const shownOfPhone = 5;
const shownOfOther = 4;
const hidden = '***';

/** Keeps enough of an address to distinguish it, too little to send to it. */
export function maskTarget(channel: string, target: string): string {
  if (channel === 'email') return maskEmail(target);
  if (target.startsWith('+')) return `${target.slice(0, shownOfPhone)}${hidden}${target.slice(-2)}`;
  return `${target.slice(0, shownOfOther)}${hidden}`;
}

function maskEmail(address: string): string {
  const at = address.lastIndexOf('@');
  return at < 1 ? hidden : `${address.slice(0, 1)}${hidden}${address.slice(at)}`;
}
