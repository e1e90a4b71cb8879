/** The parser state between two characters. The modes follow the tokenizer of the HTML standard. */
export type HtmlState = {
  mode: Mode;
  /** The name of the tag being read, or of the raw text element being read. */
  tag: string;
  isEndTag: boolean;
  attribute: string;
  quote: string;
  /** The attribute value so far, as far as it matters for a URL. */
  literal: string;
  hasPrinted: boolean;
  /**
   * The last characters, in comments and raw text: their end marker is longer than one character.
   */
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

export const htmlStart: HtmlState = {
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
    if (next > at) current = readRun(current, text.slice(at, next));
    if (next < text.length) current = steps[current.mode](current, text.charAt(next));
    at = next + 1;
  }
  return current;
}

/** The characters that end a run. The mode is constant within a run, so the run is read at once. */
const ends: Partial<Record<Mode, RegExp>> = {
  text: /</g,
  comment: />/g,
  bogus_comment: />/g,
  tag_name: /[\t\n\f\r />]/g,
  in_tag: /[^\t\n\f\r /]/g,
  attribute_name: /[\t\n\f\r /=>]/g,
  after_attribute_name: /[^\t\n\f\r ]/g,
  before_value: /[^\t\n\f\r ]/g,
  unquoted_value: /[\t\n\f\r >]/g,
};

const quoteEnds: Record<string, RegExp> = { '"': /"/g, "'": /'/g };

function findNext(state: HtmlState, text: string, at: number): number {
  if (state.mode === 'raw_text') return findRawTextEnd(state, text, at);
  const end = state.mode === 'quoted_value' ? quoteEnds[state.quote] : ends[state.mode];
  if (!end) return at;
  end.lastIndex = at;
  return end.exec(text)?.index ?? text.length;
}

/**
 * The next `<` that may start the end tag, or a comment in a script. A marker that started before
 * the text continues.
 */
function findRawTextEnd({ tag, tail }: HtmlState, text: string, at: number): number {
  if (tail.includes('<')) return at;
  const end = `</${tag}`;
  let from = text.indexOf('<', at);
  while (from !== -1) {
    const begins = text.slice(from, from + end.length).toLowerCase();
    const isCut = from + end.length > text.length;
    if (isCut || begins === end || (tag === 'script' && begins.startsWith('<!--'))) return from;
    from = text.indexOf('<', from + 1);
  }
  return text.length;
}

/** The state after a run of characters that end nothing. */
function readRun(state: HtmlState, run: string): HtmlState {
  switch (state.mode) {
    case 'comment':
      // Only the last characters decide whether `>` ends it.
      return { ...state, tail: (state.tail + run).slice(-3) };
    case 'tag_name':
      return { ...state, tag: grow(state.tag, run) };
    case 'attribute_name':
      return { ...state, attribute: grow(state.attribute, run) };
    case 'quoted_value':
      return { ...state, literal: (state.literal + run).slice(0, maxLiteralCharacters) };
    default:
      return state;
  }
}

const maxNameCharacters = 64;
const maxLiteralCharacters = 64;

type Step = (state: HtmlState, character: string) => HtmlState;

const steps: Record<Mode, Step> = {
  text: (state, character) => (character === '<' ? { ...state, mode: 'tag_open' } : state),

  tag_open(state, character) {
    if (character === '!') return { ...htmlStart, mode: 'declaration' };
    if (character === '/') return { ...state, mode: 'end_tag_open' };
    if (character === '?') return { ...htmlStart, mode: 'bogus_comment' };
    if (isLetter(character)) return openTag(character, false);
    return steps.text(htmlStart, character);
  },

  end_tag_open(_, character) {
    if (isLetter(character)) return openTag(character, true);
    return character === '>' ? htmlStart : { ...htmlStart, mode: 'bogus_comment' };
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
    return steps.bogus_comment({ ...htmlStart, mode: 'bogus_comment' }, character);
  },

  bogus_comment: (state, character) => (character === '>' ? htmlStart : state),

  comment(state, character) {
    const tail = (state.tail + character).slice(-4);
    return tail.endsWith('-->') || tail === '--!>' ? htmlStart : { ...state, tail };
  },

  raw_text(state, character) {
    const end = `</${state.tag}`;
    const tail = (state.tail + character.toLowerCase()).slice(-(end.length + 1));
    if (state.tag === 'script' && tail.endsWith('<!--'))
      return { ...state, tag: 'plaintext', tail };
    const isEnd = tail.startsWith(end) && tail.length > end.length && endsName(character);
    if (!isEnd || state.tag === 'plaintext') return { ...state, tail };
    return steps.tag_name({ ...htmlStart, mode: 'tag_name', isEndTag: true }, character);
  },
};

/** Elements whose content is raw text up to the end tag. */
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
  return { ...htmlStart, mode: 'tag_name', tag: character.toLowerCase(), isEndTag };
}

function closeTag(state: HtmlState): HtmlState {
  if (state.isEndTag || !rawTextElements.has(state.tag)) return htmlStart;
  return { ...htmlStart, mode: 'raw_text', tag: state.tag };
}

function inTag({ tag, isEndTag }: HtmlState): HtmlState {
  return { ...htmlStart, mode: 'in_tag', tag, isEndTag };
}

function grow(name: string, characters: string): string {
  return name.length >= maxNameCharacters
    ? name
    : (name + characters.toLowerCase()).slice(0, maxNameCharacters);
}

function isLetter(character: string): boolean {
  return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z');
}

function isSpace(character: string): boolean {
  return '\t\n\f\r '.includes(character);
}

function endsName(character: string): boolean {
  return isSpace(character) || character === '/' || character === '>';
}
