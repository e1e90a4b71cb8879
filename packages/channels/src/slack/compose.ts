import { isBlank, TemplateError } from '@belfry/shared';
import type { CompiledTemplate, ComposeInput, ComposeResult } from '../channel';
import { readLinkPreview } from '../link-preview';
import {
  checkFixedText,
  checkSize,
  createParseField,
  createRendering,
  type Field,
  listPaths,
  type Rendering,
} from '../rendering';
import { formatBlocks } from './block-texts';
import {
  type Block,
  type BlocksTemplate,
  parseBlocksTemplate,
  readBlocks,
  toBlocks,
} from './blocks';
import { checkBlocks } from './check-blocks';
import { createMrkdwnEscape, dropEmptyLinks } from './mrkdwn';
import type { SlackContent, SlackOverride, SlackTemplate } from './template';

/** The limit in Slack's documentation of chat.postMessage. */
const maxTextCharacters = 40_000;

export function compileSlack(
  template: SlackTemplate,
  language?: string,
): CompiledTemplate<SlackOverride, SlackContent> {
  const parseField = createParseField(language);
  const fields: SlackFields = {
    text: template.text ? parseField('text', template.text, createMrkdwnEscape) : undefined,
    blocks: template.blocks?.trim() ? parseBlocksTemplate(template.blocks, parseField) : undefined,
  };
  checkFixedText((rendering) => checkTemplate(fields, rendering));
  return {
    paths: listPaths([fields.text, ...(fields.blocks?.fields ?? [])]),
    compose: (input) => composeSlack(fields, template, input),
  };
}

type SlackFields = { text: Field | undefined; blocks: BlocksTemplate | undefined };

/** Throws TemplateError for blocks that Slack would refuse with any values. */
function checkTemplate(fields: SlackFields, rendering: Rendering): void {
  const { text, blocks } = renderFields(fields, rendering);
  checkText(text, rendering);
  const open = new Set(fields.blocks?.fields.map(({ name }) => name));
  const { problem } = checkBlocks(blocks, (path) => open.has(path));
  if (problem) throw new TemplateError(problem.detail, { line: 1, column: 1 });
}

function composeSlack(
  fields: SlackFields,
  template: SlackTemplate,
  { data, override, missing, isSensitive }: ComposeInput<SlackOverride>,
): ComposeResult<SlackContent> {
  const rendering = createRendering(data);
  const own = readOwn(override?.message, rendering);
  const message = own ?? renderFields(fields, rendering);
  const { blocks, problem } = checkBlocks(message.blocks);
  const text = isBlank(message.text) ? formatBlocks(blocks) : message.text;
  checkText(text, rendering);
  if (problem) rendering.fail(problem.failed, problem.detail);
  if (isBlank(text) && blocks.every(({ type }) => type === 'divider')) {
    rendering.fail('empty_content', 'Text and blocks are both empty.');
  }
  const finished = rendering.finish(missing);
  if ('failed' in finished) return finished;
  return {
    content: {
      text,
      ...(blocks.length > 0 ? { blocks } : {}),
      ...readLinkPreview(template, isSensitive),
    },
    ...finished,
  };
}

type MessageFields = { text: string; blocks: Block[] };

/**
 * A message in the call replaces the whole template: Slack would not show its text next to the
 * template's blocks.
 */
function readOwn(
  message: SlackOverride['message'],
  rendering: Rendering,
): MessageFields | undefined {
  const text = message?.text && !isBlank(message.text) ? message.text : '';
  const blocks = readOwnBlocks(message?.blocks, rendering);
  return text || blocks.length > 0 ? { text, blocks } : undefined;
}

function readOwnBlocks(
  ownBlocks: NonNullable<SlackOverride['message']>['blocks'],
  rendering: Rendering,
): Block[] {
  if (ownBlocks === undefined || isEmpty(ownBlocks)) return [];
  const blocks = typeof ownBlocks === 'string' ? readBlocks(ownBlocks) : toBlocks(ownBlocks);
  if (!('problem' in blocks)) return blocks;
  rendering.fail('rejected_content', `${blocks.problem.message}.`);
  return [];
}

/** Typed clients may send an empty value for a required field. */
function isEmpty(ownBlocks: string | object): boolean {
  return typeof ownBlocks === 'string' ? isBlank(ownBlocks) : Object.keys(ownBlocks).length === 0;
}

function renderFields({ text, blocks }: SlackFields, rendering: Rendering): MessageFields {
  return {
    text: dropEmptyLinks(rendering.text(text)),
    blocks: blocks?.render(rendering) ?? [],
  };
}

function checkText({ length: size }: string, rendering: Rendering): void {
  checkSize({ name: 'text', size, limit: maxTextCharacters }, rendering);
}
