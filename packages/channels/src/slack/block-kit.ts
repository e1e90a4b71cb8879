/**
 * The rule for a member of a block, an element or a composition object. `whenEmpty` applies when
 * the member is missing or blank: either its object is left out, or the message fails. Without
 * `whenEmpty` the member is optional, and only the member is left out.
 */
export type Member = { whenEmpty?: 'leave out' | 'fail' } & (
  | {
      /**
       * A string, or an object with a `text`. With `keepsSpaces`, only a text without any character
       * is empty.
       */
      kind: 'text';
      max: number;
      keepsSpaces?: true;
    }
  /** Fails when present and empty: an author never wants a button without a link. */
  | { kind: 'url'; max: number }
  | { kind: 'list'; max: number; item: Member }
  /** An object by the named rule or by its own type; `instead` replaces the rules of some types. */
  | { kind: 'object'; rule?: string; instead?: Record<string, string> }
);

export type Rule = {
  members: Record<string, Member>;
  /** At least one of these members is required. */
  alternatives?: { names: string[]; whenEmpty: 'leave out' | 'fail' };
  /** A block with this member fails instead of being left out. */
  mustStayWith?: string;
  /** Without its URL it becomes a text element, if it has a text. */
  becomesText?: true;
};

/** Per message. */
export const maxBlocks = 50;

const maxList = Number.MAX_SAFE_INTEGER;
const text = (max: number): Member => ({ kind: 'text', max });
const spaced = (max: number): Member => ({ kind: 'text', max, keepsSpaces: true });
const url: Member = { kind: 'url', max: 3_000 };
const list = (max: number, item: Member): Member => ({ kind: 'list', max, item });
const object = (rule?: string): Member => ({ kind: 'object', ...(rule ? { rule } : {}) });
const failWhenEmpty = (member: Member): Member => ({ ...member, whenEmpty: 'fail' });
const omitWhenEmpty = (member: Member): Member => ({ ...member, whenEmpty: 'leave out' });

const confirm = object('confirm');
const options = (max: number) => list(max, object('option'));
const placeholder = text(150);
const elements = omitWhenEmpty(list(maxList, object()));
const richText: Rule = { members: { elements } };
const menu: Rule = { members: { placeholder, confirm } };
const staticMenu: Rule = {
  members: {
    placeholder,
    confirm,
    options: options(100),
    option_groups: list(100, object('option_group')),
    initial_option: object('option'),
    initial_options: options(100),
  },
  alternatives: { names: ['options', 'option_groups'], whenEmpty: 'fail' },
};
const boxes: Rule = {
  members: { confirm, options: failWhenEmpty(options(10)), initial_options: options(10) },
};
const image: Rule = {
  members: { image_url: url, alt_text: failWhenEmpty(text(2_000)), title: text(2_000) },
  alternatives: { names: ['image_url', 'slack_file'], whenEmpty: 'fail' },
};
const button: Member = failWhenEmpty(text(75));
const accessibility_label = text(75);

/** Identifiers that each block and element may have. */
export const identifiers: Record<string, Member> = { block_id: text(255), action_id: text(255) };

/**
 * Block Kit's limits and required members, by the type of a block or element, or by the name of a
 * composition object: https://docs.slack.dev/reference/block-kit, as of 2026-11. Unlisted types are
 * sent unchanged.
 */
export const blockKit: Record<string, Rule> = {
  // Blocks.
  actions: { members: { elements: failWhenEmpty(list(25, object())) } },
  alert: { members: { text: omitWhenEmpty(text(3_000)) } },
  card: {
    members: {
      title: text(150),
      subtitle: text(150),
      body: text(200),
      hero_image: object(),
      icon: object(),
      actions: list(maxList, object()),
    },
    alternatives: { names: ['title', 'body', 'hero_image', 'actions'], whenEmpty: 'leave out' },
  },
  carousel: { members: { elements: omitWhenEmpty(list(10, object())) } },
  container: {
    members: {
      title: text(150),
      subtitle: text(150),
      rich_text_title: object(),
      icon: object(),
      child_blocks: omitWhenEmpty(list(10, object())),
    },
    alternatives: { names: ['title', 'rich_text_title'], whenEmpty: 'fail' },
  },
  context: {
    members: {
      elements: omitWhenEmpty(list(10, { kind: 'object', instead: { image: 'context_image' } })),
    },
  },
  context_actions: { members: { elements: failWhenEmpty(list(5, object())) } },
  divider: { members: {} },
  header: { members: { text: omitWhenEmpty(text(150)) } },
  image,
  input: {
    members: {
      label: failWhenEmpty(text(2_000)),
      hint: text(2_000),
      element: failWhenEmpty(object()),
    },
  },
  markdown: { members: { text: omitWhenEmpty(text(12_000)) } },
  rich_text: richText,
  section: {
    members: { text: text(3_000), fields: list(10, text(2_000)), accessory: object() },
    alternatives: { names: ['text', 'fields'], whenEmpty: 'leave out' },
    mustStayWith: 'accessory',
  },
  table: { members: { rows: failWhenEmpty(list(100, list(20, object()))) } },
  video: {
    members: {
      video_url: failWhenEmpty(url),
      thumbnail_url: failWhenEmpty(url),
      alt_text: failWhenEmpty(text(2_000)),
      title: failWhenEmpty(text(200)),
      title_url: url,
      author_name: text(50),
      description: text(3_000),
    },
  },

  // Elements.
  button: {
    members: { text: button, url, value: text(2_000), accessibility_label, confirm },
  },
  workflow_button: { members: { text: button, accessibility_label, confirm } },
  icon_button: {
    members: { text: button, value: text(2_000), accessibility_label, confirm },
  },
  feedback_buttons: {
    members: {
      positive_button: failWhenEmpty(object('feedback_button')),
      negative_button: failWhenEmpty(object('feedback_button')),
    },
  },
  checkboxes: boxes,
  radio_buttons: { members: { ...boxes.members, initial_option: object('option') } },
  overflow: { members: { confirm, options: failWhenEmpty(options(5)) } },
  static_select: staticMenu,
  multi_static_select: staticMenu,
  external_select: menu,
  multi_external_select: menu,
  users_select: menu,
  multi_users_select: menu,
  conversations_select: menu,
  multi_conversations_select: menu,
  channels_select: menu,
  multi_channels_select: menu,
  datepicker: menu,
  timepicker: menu,
  datetimepicker: menu,
  /** A missing image leaves the other elements of its context. */
  context_image: {
    members: { image_url: omitWhenEmpty(url), alt_text: failWhenEmpty(text(2_000)) },
    alternatives: { names: ['image_url', 'slack_file'], whenEmpty: 'leave out' },
  },

  // Rich text.
  rich_text_section: richText,
  rich_text_list: richText,
  rich_text_quote: richText,
  rich_text_preformatted: richText,
  text: { members: { text: omitWhenEmpty(spaced(maxList)) } },
  link: { members: { url: omitWhenEmpty(url), text: spaced(maxList) }, becomesText: true },
  emoji: { members: { name: omitWhenEmpty(text(maxList)) } },
  user: { members: { user_id: omitWhenEmpty(text(maxList)) } },
  usergroup: { members: { usergroup_id: omitWhenEmpty(text(maxList)) } },
  channel: { members: { channel_id: omitWhenEmpty(text(maxList)) } },

  // Composition objects.
  plain_text: { members: { text: omitWhenEmpty(text(3_000)) } },
  mrkdwn: { members: { text: omitWhenEmpty(text(3_000)) } },
  raw_text: { members: { text: failWhenEmpty(spaced(maxList)) } },
  confirm: {
    members: {
      text: failWhenEmpty(text(300)),
      title: text(100),
      confirm: text(30),
      deny: text(30),
    },
  },
  option: {
    members: {
      text: omitWhenEmpty(text(75)),
      value: failWhenEmpty(text(150)),
      description: text(75),
      url,
    },
  },
  option_group: {
    members: { label: failWhenEmpty(text(75)), options: omitWhenEmpty(options(100)) },
  },
  feedback_button: {
    members: { text: button, value: failWhenEmpty(text(2_000)), accessibility_label },
  },
};
