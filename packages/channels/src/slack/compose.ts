import type { CompiledTemplate, Composed, ComposeInput } from '../channel';
import {
  createParseField,
  createRendering,
  type Field,
  pathsOf,
  type Rendering,
} from '../rendering';
import {
  dropEmptyBlocks,
  findBrokenLimit,
  slackLimits,
  textOfBlocks,
  tooLong,
} from './block-texts';
import {
  type Block,
  type BlocksTemplate,
  blocksOf,
  parseBlocksTemplate,
  readBlocks,
} from './blocks';
import { createMrkdwnEscape } from './mrkdwn';
import type { SlackContent, SlackOverride, SlackTemplate } from './template';

export function compileSlack(
  template: SlackTemplate,
  language?: string,
): CompiledTemplate<SlackOverride, SlackContent> {
  const parseField = createParseField(language);
  const fields: SlackFields = {
    text: template.text ? parseField('text', template.text, createMrkdwnEscape) : undefined,
    blocks: template.blocks?.trim() ? parseBlocksTemplate(template.blocks, parseField) : undefined,
  };
  return {
    paths: pathsOf([fields.text, ...(fields.blocks?.fields ?? [])]),
    compose: (input) => composeSlack(fields, input),
  };
}

type SlackFields = { text: Field | undefined; blocks: BlocksTemplate | undefined };

function composeSlack(
  fields: SlackFields,
  { data, override, missing }: ComposeInput<SlackOverride>,
): Composed<SlackContent> {
  const rendering = createRendering(data);
  const own = readOwn(override?.message, rendering);
  const given = own ?? renderFields(fields, rendering);
  const blocks = dropEmptyBlocks(given.blocks);
  const text = given.text.trim() ? given.text : textOfBlocks(blocks);
  check({ text, blocks }, rendering);
  const finished = rendering.finish(missing);
  if ('failed' in finished) return finished;
  return { content: { text, ...(blocks.length > 0 ? { blocks } : {}) }, ...finished };
}

type Given = { text: string; blocks: Block[] };

/** A message that the call gives replaces the template's whole: its text would not be seen beside the template's blocks. */
function readOwn(message: SlackOverride['message'], rendering: Rendering): Given | undefined {
  const text = message?.text?.trim() ? message.text : '';
  const blocks = readOwnBlocks(message?.blocks, rendering);
  return text || blocks.length > 0 ? { text, blocks } : undefined;
}

function readOwnBlocks(
  given: NonNullable<SlackOverride['message']>['blocks'],
  rendering: Rendering,
): Block[] {
  if (given === undefined || isEmpty(given)) return [];
  const blocks = typeof given === 'string' ? readBlocks(given) : blocksOf(given);
  if (!('problem' in blocks)) return blocks;
  rendering.fail('rejected_content', `${blocks.problem.message}.`);
  return [];
}

/** Clients whose types demand a value fill in one that says nothing. */
function isEmpty(given: string | object): boolean {
  return typeof given === 'string' ? given.trim() === '' : Object.keys(given).length === 0;
}

function renderFields({ text, blocks }: SlackFields, rendering: Rendering): Given {
  return { text: rendering.text(text), blocks: blocks?.render(rendering) ?? [] };
}

function check({ text, blocks }: Given, rendering: Rendering): void {
  const broken =
    tooLong('text', text.length, slackLimits.textCharacters) ?? findBrokenLimit(blocks);
  if (broken) rendering.fail('too_long', broken);
  if (text.trim() === '' && blocks.length === 0) {
    rendering.fail('empty_content', 'Text and blocks are empty.');
  }
}
