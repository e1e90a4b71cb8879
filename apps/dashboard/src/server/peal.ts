/** The order in which people see channels; one that is not here comes behind them. */
const peal = ['sms', 'email', 'whatsapp', 'slack', 'telegram', 'push', 'onesignal', 'in_app'];

export function inPealOrder(channels: readonly string[]): string[] {
  return channels.toSorted((a, b) => placeOf(a) - placeOf(b));
}

function placeOf(channel: string): number {
  const place = peal.indexOf(channel);
  return place === -1 ? peal.length : place;
}
