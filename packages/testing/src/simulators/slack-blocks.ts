import {
  isAnything,
  isEnum,
  isFlag,
  isInteger,
  isList,
  isObject,
  isObjectWith,
  isTextUpTo,
  type Members,
  matches,
  type Rule,
} from './rules';

/**
 * The problem of a message's blocks by docs.slack.dev/reference/block-kit, block by block. Each limit is from the
 * page of its block, element or object. Blocks of types that are not listed here are accepted.
 */
export function findBlocksProblem(blocks: unknown): string | undefined {
  return isList(block, { least: 0, most: 50 })(blocks);
}

function byType(rules: Record<string, Rule>): Rule {
  return (value) => {
    const type = (value as Members | null)?.['type'];
    if (typeof type !== 'string') return 'has no type';
    return (Object.hasOwn(rules, type) ? rules[type] : isAnything)?.(value);
  };
}

const plainText = (most: number): Rule =>
  isObjectWith({ type: isEnum('plain_text'), text: isTextUpTo(most), emoji: isFlag }, [
    'type',
    'text',
  ]);

const mrkdwn = (most: number): Rule =>
  isObjectWith({ type: isEnum('mrkdwn'), text: isTextUpTo(most), verbatim: isFlag }, [
    'type',
    'text',
  ]);

const anyText = (most: number): Rule =>
  byType({ plain_text: plainText(most), mrkdwn: mrkdwn(most) });

const id = isTextUpTo(255);
const url = (value: unknown) =>
  isTextUpTo(3_000)(value) ?? matches(/^[a-z][a-z0-9+.-]*:\S+$/i, 'is not a URL')(value);
const imageUrl = (value: unknown) =>
  isTextUpTo(3_000)(value) ?? matches(/^https?:\/\/\S+$/i, 'is not a URL')(value);

const confirm = isObjectWith(
  {
    title: plainText(100),
    text: anyText(300),
    confirm: plainText(30),
    deny: plainText(30),
    style: isEnum('primary', 'danger'),
  },
  ['title', 'text', 'confirm', 'deny'],
);

const option = isObjectWith(
  { text: anyText(75), value: isTextUpTo(150), description: anyText(75), url },
  ['text', 'value'],
);
const options = (most: number): Rule => isList(option, { most });
const select = (rules: Record<string, Rule> = {}, required: string[] = []): Rule =>
  isObjectWith(
    {
      type: isAnything,
      action_id: id,
      placeholder: plainText(150),
      confirm,
      focus_on_load: isFlag,
      ...rules,
    },
    required,
  );

const image = {
  type: isAnything,
  image_url: imageUrl,
  slack_file: isObject,
  alt_text: isTextUpTo(2_000),
};

const elements: Record<string, Rule> = {
  button: isObjectWith(
    {
      type: isAnything,
      text: plainText(75),
      action_id: id,
      url,
      // Only its length is documented.
      value: (value: unknown) => (value === '' ? undefined : isTextUpTo(2_000)(value)),
      style: isEnum('primary', 'danger'),
      confirm,
      accessibility_label: isTextUpTo(75),
    },
    ['text'],
  ),
  image: isObjectWith(image, ['alt_text']),
  overflow: isObjectWith({ type: isAnything, action_id: id, options: options(5), confirm }, [
    'options',
  ]),
  static_select: select({
    options: options(100),
    option_groups: isList(isObject, { most: 100 }),
    initial_option: option,
  }),
  multi_static_select: select({
    options: options(100),
    option_groups: isList(isObject, { most: 100 }),
    initial_options: options(100),
    max_selected_items: isInteger(1, 100),
  }),
  checkboxes: select({ options: options(10), initial_options: options(10) }, ['options']),
  radio_buttons: select({ options: options(10), initial_option: option }, ['options']),
};
const element = byType(elements);

const section: Rule = (value) =>
  isObjectWith({
    type: isAnything,
    block_id: id,
    text: anyText(3_000),
    fields: isList(anyText(2_000), { most: 10 }),
    accessory: element,
    expand: isFlag,
  })(value) ??
  ('text' in (value as Members) || 'fields' in (value as Members)
    ? undefined
    : 'has neither text nor fields');

const block = byType({
  section,
  header: isObjectWith(
    { type: isAnything, block_id: id, text: plainText(150), level: isInteger(1, 4) },
    ['text'],
  ),
  divider: isObjectWith({ type: isAnything, block_id: id }),
  image: isObjectWith({ ...image, block_id: id, title: plainText(2_000) }, ['alt_text']),
  context: isObjectWith(
    {
      type: isAnything,
      block_id: id,
      elements: isList(
        byType({ image: element, plain_text: plainText(3_000), mrkdwn: mrkdwn(3_000) }),
        { most: 10 },
      ),
    },
    ['elements'],
  ),
  actions: isObjectWith(
    { type: isAnything, block_id: id, elements: isList(element, { most: 25 }) },
    ['elements'],
  ),
  markdown: isObjectWith({ type: isAnything, block_id: id, text: isTextUpTo(12_000) }, ['text']),
  rich_text: isObjectWith(
    { type: isAnything, block_id: id, elements: isList(isObject, { most: 3_000 }) },
    ['elements'],
  ),
});
