import { parseMrkdwn, parseTelegram, parseWhatsapp, type Run } from './runs';

const parsers: Record<string, (text: string) => Run[]> = {
  slack: parseMrkdwn,
  telegram: parseTelegram,
  whatsapp: parseWhatsapp,
};

/** The text of a channel in one line, without markup. */
export function toPlainText(channel: string, text: string): string {
  const runs = parsers[channel]?.(text) ?? [{ text, looks: [] }];
  return runs
    .map((run) => run.text)
    .join('')
    .replace(/\s+/g, ' ')
    .trim();
}
