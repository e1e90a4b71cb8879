/** Display order of channels; unlisted channels come last. */
const channelOrder = [
  'sms',
  'email',
  'whatsapp',
  'slack',
  'telegram',
  'push',
  'onesignal',
  'in_app',
];

export function sortByChannel(channels: readonly string[]): string[] {
  return channels.toSorted((a, b) => getPosition(a) - getPosition(b));
}

function getPosition(channel: string): number {
  const index = channelOrder.indexOf(channel);
  return index === -1 ? channelOrder.length : index;
}
