import { type Run, runsOfMrkdwn, runsOfTelegram, runsOfWhatsapp } from './runs';

const readings: Record<string, (text: string) => Run[]> = {
  slack: runsOfMrkdwn,
  telegram: runsOfTelegram,
  whatsapp: runsOfWhatsapp,
};

/** The words of a channel's text in one line, without its marks. */
export function wordsOf(channel: string, text: string): string {
  const runs = readings[channel]?.(text) ?? [{ text, looks: [] }];
  return runs
    .map((run) => run.text)
    .join('')
    .replace(/\s+/g, ' ')
    .trim();
}
