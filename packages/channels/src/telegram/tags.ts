/** The tags of Telegram's HTML, besides `br` and `p`, which become line breaks. */
type TagRule = {
  /** The pattern of each attribute's value. */
  attributes?: Record<string, RegExp>;
  /** The attribute without which the tag has no effect. */
  required?: string;
  isVoid?: true;
};

const anyValue = /^/;

const rules: Record<string, TagRule> = {
  a: { attributes: { href: /\S/ }, required: 'href' },
  b: {},
  blockquote: { attributes: { expandable: anyValue } },
  br: { isVoid: true },
  code: { attributes: { class: /^language-\S+$/ } },
  del: {},
  em: {},
  i: {},
  ins: {},
  p: {},
  pre: {},
  s: {},
  span: { attributes: { class: /^tg-spoiler$/ }, required: 'class' },
  strike: {},
  strong: {},
  'tg-emoji': { attributes: { 'emoji-id': /^\d+$/ }, required: 'emoji-id' },
  'tg-spoiler': {},
  u: {},
};

/** A tag of a template, or the problem with it as a sentence. */
export type Tag = { name: string; kind: 'start' | 'end' | 'void' } | { problem: string };

/** Parses the text between `<` and `>`. */
export function parseTag(source: string): Tag {
  const [, slash = '', name = ''] = /^(\/?)([a-z][a-z0-9-]*)/i.exec(source) ?? [];
  const rest = source.slice(slash.length + name.length);
  const rule = findRule(name.toLowerCase());
  if (!rule) return { problem: describeUnknown(name) };
  if (slash) return parseEnd(name.toLowerCase(), rule, rest);
  return parseStart(name.toLowerCase(), rule, rest);
}

function findRule(name: string): TagRule | undefined {
  return Object.hasOwn(rules, name) ? rules[name] : undefined;
}

function describeUnknown(name: string): string {
  const tagNames = Object.keys(rules).join(', ');
  if (name === '') return 'A < that starts no tag must be written as &lt;.';
  return `Telegram does not support <${name}>. Use ${tagNames}. A < that starts no tag must be written as &lt;.`;
}

function parseEnd(name: string, { isVoid }: TagRule, rest: string): Tag {
  if (isVoid) return { problem: `<${name}> has no end tag.` };
  return rest.trim() === ''
    ? { name, kind: 'end' }
    : { problem: `</${name}> must not have attributes.` };
}

function parseStart(name: string, rule: TagRule, rest: string): Tag {
  const attributes = readAttributes(rule.isVoid ? rest.replace(/\/\s*$/, '') : rest);
  if (!attributes)
    return {
      problem: `The attributes of <${name}> are invalid: put quotes around each value, and use each attribute once.`,
    };
  for (const [attribute, value] of attributes) {
    const pattern = rule.attributes?.[attribute];
    if (!pattern)
      return { problem: `<${name}> must not have the attribute ${attribute} in Telegram.` };
    if (!pattern.test(value)) return { problem: `${attribute} of <${name}> has an invalid value.` };
  }
  if (rule.required !== undefined && !attributes.has(rule.required)) {
    return { problem: `<${name}> needs the attribute ${rule.required}.` };
  }
  return { name, kind: rule.isVoid ? 'void' : 'start' };
}

/** Undefined when the text has anything but attributes, or has an attribute twice. */
function readAttributes(text: string): Map<string, string> | undefined {
  const attribute =
    /\s+([a-z][a-z0-9-]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([a-z0-9._-]+)))?(?=\s|$)/giy;
  const attributes = new Map<string, string>();
  let end = 0;
  for (const match of text.matchAll(attribute)) {
    const name = match[1]?.toLowerCase() ?? '';
    if (attributes.has(name)) return undefined;
    attributes.set(name, match[2] ?? match[3] ?? match[4] ?? '');
    end = match.index + match[0].length;
  }
  return text.slice(end).trim() === '' ? attributes : undefined;
}
