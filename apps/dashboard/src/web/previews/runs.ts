/** A styled piece of text. Previews render text and never execute template content. */
export type Run = { text: string; looks: readonly Look[] };
export type Look = 'strong' | 'em' | 'under' | 'strike' | 'code' | 'quote' | 'hidden' | 'link';

type Rule = {
  pattern: RegExp;
  look: Look;
  /** Its content is not parsed as markup. */
  isLiteral?: true;
  /** The displayed part of a match; by default its first group. */
  show?: (match: RegExpExecArray) => string;
};

/** Text beyond this length is shown unparsed. */
const maxFormatted = 10_000;

const links: Rule = {
  pattern: /(https?:\/\/[^\s<>"]{1,2000}[^\s<>".,;:!?)])/,
  look: 'link',
  isLiteral: true,
};
const block: Rule = { pattern: /```\n?([\s\S]+?)```/, look: 'code', isLiteral: true };
const inline: Rule = { pattern: /`([^`\n]+)`/, look: 'code', isLiteral: true };
/** `*bold*` in WhatsApp and Slack: marks touch the text and are not inside a word. */
const marks: Rule[] = [
  { pattern: /(?<![\w*])\*(?![\s*])([^*\n]*)(?<!\s)\*(?![\w*])/, look: 'strong' },
  { pattern: /(?<!\w)_(?![\s_])([^_\n]*)(?<!\s)_(?!\w)/, look: 'em' },
  { pattern: /(?<![\w~])~(?![\s~])([^~\n]*)(?<!\s)~(?![\w~])/, look: 'strike' },
];

const slackLink: Rule = {
  pattern: /<((?:https?:|mailto:|tel:|[#@!])[^|<>]*)(?:\|([^<>]*))?>/,
  look: 'link',
  isLiteral: true,
  show: ([, target = '', label]) => unescapeEntities(label || target.replace(/^!/, '@')),
};
const slackQuote: Rule = { pattern: /^(?:&gt;|>) ?(.*)$/m, look: 'quote' };

export function parsePlain(text: string): Run[] {
  return parseRuns(text, [links], []);
}

export function parseWhatsapp(text: string): Run[] {
  return parseRuns(text, [block, inline, links, ...marks], []);
}

export function parseMrkdwn(text: string): Run[] {
  const rules = [block, inline, slackLink, slackQuote, ...marks];
  return parseRuns(text, rules, []).map((run) => ({ ...run, text: unescapeEntities(run.text) }));
}

function parseRuns(text: string, rules: readonly Rule[], looks: readonly Look[]): Run[] {
  const runs: Run[] = [];
  let rest = text.slice(0, maxFormatted);
  for (let next = findEarliest(rest, rules); next; next = findEarliest(rest, rules)) {
    const { rule, match } = next;
    const content = rule.show?.(match) ?? match[1] ?? '';
    const inner = [...looks, rule.look];
    push(runs, rest.slice(0, match.index), looks);
    if (rule.isLiteral) push(runs, content, inner);
    else
      runs.push(
        ...parseRuns(
          content,
          rules.filter((each) => each !== rule),
          inner,
        ),
      );
    rest = rest.slice(match.index + match[0].length);
  }
  push(runs, rest + text.slice(maxFormatted), looks);
  return runs;
}

function push(runs: Run[], text: string, looks: readonly Look[]): void {
  if (text !== '') runs.push({ text, looks });
}

function findEarliest(text: string, rules: readonly Rule[]) {
  let first: { rule: Rule; match: RegExpExecArray } | undefined;
  for (const rule of rules) {
    const match = rule.pattern.exec(text);
    if (match && (!first || match.index < first.match.index)) first = { rule, match };
  }
  return first;
}

const maxOpen = 20;
const telegramLooks: Record<string, Look> = {
  b: 'strong',
  strong: 'strong',
  i: 'em',
  em: 'em',
  u: 'under',
  ins: 'under',
  s: 'strike',
  strike: 'strike',
  del: 'strike',
  code: 'code',
  pre: 'code',
  a: 'link',
  blockquote: 'quote',
  'tg-spoiler': 'hidden',
  span: 'hidden',
};

/** The HTML subset of Telegram; other tags are ignored. */
export function parseTelegram(html: string): Run[] {
  const runs: Run[] = [];
  const open: { name: string; look: Look }[] = [];
  let end = 0;
  const looks = () => [...new Set(open.map(({ look }) => look))];
  for (const match of html.matchAll(/<(\/?)([a-z][^<>]*)>/gi)) {
    const [tag, slash, tagContent = ''] = match;
    const [name = ''] = tagContent.toLowerCase().split(/[\s/]/, 1);
    const look = telegramLooks[name];
    push(runs, unescapeEntities(html.slice(end, match.index)), looks());
    end = match.index + tag.length;
    if (!look) continue;
    if (!slash && open.length < maxOpen) open.push({ name, look });
    const closedIndex = slash ? open.findLastIndex((each) => each.name === name) : -1;
    if (closedIndex >= 0) open.splice(closedIndex, 1);
  }
  push(runs, unescapeEntities(html.slice(end)), looks());
  return runs;
}

const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', amp: '&' };

/** Decodes once from the left: a decoded entity is not decoded again. */
function unescapeEntities(text: string): string {
  return text.replace(/&(lt|gt|quot|amp|#\d{1,7});/g, (entity, name: string) => {
    if (!name.startsWith('#')) return entities[name] ?? entity;
    const point = Number(name.slice(1));
    return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : entity;
  });
}
