import type { AnyChannel } from './channel';

/** How each channel writes a magic recipient. */
const forms: Record<string, (word: string, channel: AnyChannel) => string | undefined> = {
  email: (word) => `sandbox+${word}@example.com`,
  slack: (word) => `CSANDBOX${word.toUpperCase()}`,
  sms: findMagicPhone,
  whatsapp: findMagicPhone,
  telegram: (word) => `@sandbox_${word}`,
  push: (word) => `sandbox:${word}`,
  onesignal: (word) => `sandbox+${word}`,
  in_app: (word) => `sandbox+${word}`,
};

const numbers = Array.from({ length: 10 }, (_, digit) => `+1500555000${digit}`);

function findMagicPhone(word: string, channel: AnyChannel): string | undefined {
  return numbers.find((number) => channel.findMagicWord(number) === word);
}

/** The recipients that select a behaviour, by channel, in the order of `forms`. */
export function listMagicRecipients(
  word: string,
  channels: Record<string, AnyChannel>,
): Record<string, string> {
  const entries = Object.entries(forms).flatMap(([name, write]): [string, string][] => {
    const channel = channels[name];
    const address = channel && write(word, channel);
    return address !== undefined && channel?.findMagicWord(address) === word
      ? [[name, address]]
      : [];
  });
  return Object.fromEntries(entries);
}
