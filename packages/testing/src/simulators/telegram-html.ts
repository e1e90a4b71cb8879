/** The visible part of a message: its text, and its formats and links. */
export type TelegramText = { text: string; entities: TelegramEntity[] };

export type TelegramEntity = { type: string; text: string; url?: string };

const names = new Map([
  ['strong', 'b'],
  ['em', 'i'],
  ['ins', 'u'],
  ['strike', 's'],
  ['del', 's'],
]);
const knownTags = /^(a|b|i|u|s|code|pre|blockquote|span|tg-spoiler|tg-emoji)$/;

/** Tags that have no effect without an attribute (core.telegram.org/bots/api#html-style). */
const requiredAttributes: Record<string, { form: RegExp; problem: string } | undefined> = {
  span: {
    form: /\sclass\s*=\s*(["'])tg-spoiler\1/i,
    problem: 'Tag "span" must have class "tg-spoiler"',
  },
  'tg-emoji': {
    form: /\semoji-id\s*=\s*(["'])\d+\1/i,
    problem: 'Invalid custom emoji identifier specified',
  },
};

type Reading = TelegramText & { open: { name: string; from: number; url?: string }[] };

/** Reads HTML as Telegram's server does; returns the server's error text if it would refuse it. */
export function readTelegramHtml(html: string): TelegramText | { problem: string } {
  const reading: Reading = { text: '', entities: [], open: [] };
  for (const [part] of html.matchAll(/<(?:[^>"']|"[^"]*"|'[^']*')*>|<|[^<]+/g)) {
    const problem = readPart(reading, part);
    if (problem !== undefined) return { problem };
  }
  const { text, entities, open } = reading;
  return open.length > 0 ? { problem: "Can't find end tag" } : { text, entities };
}

function readPart(reading: Reading, part: string): string | undefined {
  if (!part.startsWith('<')) {
    reading.text += decode(part);
    return undefined;
  }
  const tag = readTag(part);
  if (!tag) return `Unsupported start tag at byte offset ${Buffer.byteLength(reading.text)}`;
  if (tag.isEnd) return closeTag(reading, tag.name);
  const required = requiredAttributes[tag.name];
  if (required && !required.form.test(part)) return required.problem;
  reading.open.push({ ...tag, from: reading.text.length });
  return undefined;
}

function closeTag({ text, entities, open }: Reading, name: string): string | undefined {
  const opened = open.pop();
  if (opened?.name !== name) return 'Unmatched end tag';
  const visibleText = text.slice(opened.from);
  // A link without an address points to its own text.
  const url = name === 'a' ? (opened.url ?? visibleText) : undefined;
  entities.push({ type: name, text: visibleText, ...(url === undefined ? {} : { url }) });
  return undefined;
}

function readTag(part: string): { name: string; isEnd: boolean; url?: string } | undefined {
  const match = /^<(\/?)([a-z-]+)(?:\s|>)/i.exec(part);
  const rawName = match?.[2]?.toLowerCase() ?? '';
  const name = names.get(rawName) ?? rawName;
  if (!knownTags.test(name)) return undefined;
  const href = name === 'a' ? /\shref\s*=\s*(?:"([^"]*)"|'([^']*)')/i.exec(part) : undefined;
  const url = decode(href?.[1] ?? href?.[2] ?? '');
  return { name, isEnd: match?.[1] === '/', ...(url ? { url } : {}) };
}

const signs: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"' };

function decode(text: string): string {
  return text.replace(/&(lt|gt|amp|quot|#\d+|#x[\da-f]+);/gi, (entity, name: string) =>
    name.startsWith('#')
      ? String.fromCodePoint(Number(name.slice(1).replace(/^x/i, '0x')))
      : (signs[name.toLowerCase()] ?? entity),
  );
}
