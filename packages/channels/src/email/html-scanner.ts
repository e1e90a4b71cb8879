/** Where a reader of HTML stands between two characters; the modes follow the HTML standard's tokenizer. */
export type HtmlState = {
  mode: Mode;
  /** The name of the tag being read, or of the element whose raw text is being read. */
  tag: string;
  isEndTag: boolean;
  attribute: string;
  quote: string;
  /** What the attribute's value holds so far, as far as it decides about a URL. */
  literal: string;
  hasPrinted: boolean;
  /** The last characters, in comments and raw text: what ends them is longer than one. */
  tail: string;
};

export type Mode =
  | 'text'
  | 'tag_open'
  | 'end_tag_open'
  | 'tag_name'
  | 'in_tag'
  | 'attribute_name'
  | 'after_attribute_name'
  | 'before_value'
  | 'quoted_value'
  | 'unquoted_value'
  | 'declaration'
  | 'bogus_comment'
  | 'comment'
  | 'raw_text';

export const startOfHtml: HtmlState = {
  mode: 'text',
  tag: '',
  isEndTag: false,
  attribute: '',
  quote: '',
  literal: '',
  hasPrinted: false,
  tail: '',
};

export function readHtml(state: HtmlState, text: string): HtmlState {
  let current = state;
  let at = 0;
  while (at < text.length) {
    const next = findNext(current, text, at);
    // Only its last characters tell whether `>` ends a comment.
    if (current.mode === 'comment') {
      current = { ...current, tail: (current.tail + text.slice(at, next)).slice(-3) };
    }
    if (next < text.length) current = steps[current.mode](current, text.charAt(next));
    at = next + 1;
  }
  return current;
}

/** Where the next character stands that can change the mode: most of a mail stands between them. */
function findNext({ mode, tail, literal, quote }: HtmlState, text: string, at: number): number {
  if (mode === 'text') return find(text, '<', at);
  if (mode === 'comment' || mode === 'bogus_comment') return find(text, '>', at);
  if (mode === 'quoted_value' && literal.length >= maxLiteralCharacters) {
    return find(text, quote, at);
  }
  // What ends it begins so.
  if (mode === 'raw_text' && !tail.includes('<')) return find(text, '<', at);
  return at;
}

function find(text: string, character: string, from: number): number {
  const at = text.indexOf(character, from);
  return at === -1 ? text.length : at;
}

const maxNameCharacters = 64;
const maxLiteralCharacters = 64;

type Step = (state: HtmlState, character: string) => HtmlState;

const steps: Record<Mode, Step> = {
  text: (state, character) => (character === '<' ? { ...state, mode: 'tag_open' } : state),

  tag_open(state, character) {
    if (character === '!') return { ...startOfHtml, mode: 'declaration' };
    if (character === '/') return { ...state, mode: 'end_tag_open' };
    if (character === '?') return { ...startOfHtml, mode: 'bogus_comment' };
    if (isLetter(character)) return openTag(character, false);
    return steps.text(startOfHtml, character);
  },

  end_tag_open(_, character) {
    if (isLetter(character)) return openTag(character, true);
    return character === '>' ? startOfHtml : { ...startOfHtml, mode: 'bogus_comment' };
  },

  tag_name(state, character) {
    if (isSpace(character) || character === '/') return { ...state, mode: 'in_tag' };
    if (character === '>') return closeTag(state);
    return { ...state, tag: grow(state.tag, character) };
  },

  in_tag(state, character) {
    if (isSpace(character) || character === '/') return state;
    if (character === '>') return closeTag(state);
    return { ...state, mode: 'attribute_name', attribute: character.toLowerCase() };
  },

  attribute_name(state, character) {
    if (isSpace(character)) return { ...state, mode: 'after_attribute_name' };
    if (character === '/') return { ...state, mode: 'in_tag' };
    if (character === '=') return { ...state, mode: 'before_value' };
    if (character === '>') return closeTag(state);
    return { ...state, attribute: grow(state.attribute, character) };
  },

  after_attribute_name(state, character) {
    if (isSpace(character)) return state;
    if (character === '=') return { ...state, mode: 'before_value' };
    return steps.in_tag(inTag(state), character);
  },

  before_value(state, character) {
    if (isSpace(character)) return state;
    if (character === '"' || character === "'") {
      return { ...state, mode: 'quoted_value', quote: character };
    }
    return character === '>' ? closeTag(state) : { ...state, mode: 'unquoted_value' };
  },

  quoted_value(state, character) {
    if (character === state.quote) return inTag(state);
    if (state.literal.length >= maxLiteralCharacters) return state;
    return { ...state, literal: state.literal + character };
  },

  unquoted_value(state, character) {
    if (isSpace(character)) return inTag(state);
    return character === '>' ? closeTag(state) : state;
  },

  declaration(state, character) {
    const tail = state.tail + character;
    if (tail === '-') return { ...state, tail };
    if (tail === '--') return { ...state, mode: 'comment', tail };
    return steps.bogus_comment({ ...startOfHtml, mode: 'bogus_comment' }, character);
  },

  bogus_comment: (state, character) => (character === '>' ? startOfHtml : state),

  comment(state, character) {
    const tail = (state.tail + character).slice(-4);
    return tail.endsWith('-->') || tail === '--!>' ? startOfHtml : { ...state, tail };
  },

  raw_text(state, character) {
    const end = `</${state.tag}`;
    const tail = (state.tail + character.toLowerCase()).slice(-(end.length + 1));
    if (state.tag === 'script' && tail.endsWith('<!--'))
      return { ...state, tag: 'plaintext', tail };
    const isEnd = tail.startsWith(end) && tail.length > end.length && endsName(character);
    if (!isEnd || state.tag === 'plaintext') return { ...state, tail };
    return steps.tag_name({ ...startOfHtml, mode: 'tag_name', isEndTag: true }, character);
  },
};

/** Elements whose content is text to the end tag, whatever it looks like. */
const rawTextElements = new Set([
  'script',
  'style',
  'textarea',
  'title',
  'xmp',
  'iframe',
  'noembed',
  'noframes',
  'noscript',
  'plaintext',
]);

function openTag(character: string, isEndTag: boolean): HtmlState {
  return { ...startOfHtml, mode: 'tag_name', tag: character.toLowerCase(), isEndTag };
}

function closeTag(state: HtmlState): HtmlState {
  if (state.isEndTag || !rawTextElements.has(state.tag)) return startOfHtml;
  return { ...startOfHtml, mode: 'raw_text', tag: state.tag };
}

function inTag({ tag, isEndTag }: HtmlState): HtmlState {
  return { ...startOfHtml, mode: 'in_tag', tag, isEndTag };
}

function grow(name: string, character: string): string {
  return name.length >= maxNameCharacters ? name : name + character.toLowerCase();
}

function isLetter(character: string): boolean {
  return /^[a-z]$/i.test(character);
}

function isSpace(character: string): boolean {
  return /^[\t\n\f\r ]$/.test(character);
}

function endsName(character: string): boolean {
  return isSpace(character) || character === '/' || character === '>';
}
