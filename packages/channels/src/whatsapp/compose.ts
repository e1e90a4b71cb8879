import { escapeNothing, isBlank } from '@belfry/shared';
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
import {
  type ApprovedFields,
  composeApproved,
  listApprovedFields,
  parseApproved,
} from './approved-template';
import {
  type WhatsappContent,
  type WhatsappOverride,
  type WhatsappTemplate,
  whatsappLimits,
} from './template';
import { createTemplateError } from './template-error';

export function compileWhatsapp(
  template: WhatsappTemplate,
  language?: string,
): CompiledTemplate<WhatsappOverride, WhatsappContent> {
  const fields = parseFields(template, language);
  checkFixedText((rendering) => fromTemplate(fields, rendering));
  return {
    paths: listPaths([
      fields.text,
      ...(fields.approved ? listApprovedFields(fields.approved) : []),
    ]),
    compose: (input) => composeWhatsapp(fields, template, input),
  };
}

type WhatsappFields = { text: Field | undefined; approved: ApprovedFields | undefined };

function parseFields(
  { text, template }: WhatsappTemplate,
  language: string | undefined,
): WhatsappFields {
  const parseField = createParseField(language);
  const hasText = text !== undefined && !isBlank(text);
  const approved = template && parseApproved(template, parseField);
  if (hasText && approved)
    throw createTemplateError('text', 'must be empty when there is a template');
  return {
    text: hasText ? parseField('text', text, () => escapeNothing) : undefined,
    approved,
  };
}

function composeWhatsapp(
  fields: WhatsappFields,
  template: WhatsappTemplate,
  { data, override, missing, isSensitive }: ComposeInput<WhatsappOverride>,
): ComposeResult<WhatsappContent> {
  const rendering = createRendering(data);
  const own = override?.message?.text;
  const isOwn = own !== undefined && !isBlank(own);
  const content = isOwn ? composeText(own, rendering) : fromTemplate(fields, rendering);
  const finished = rendering.finish(missing);
  if ('failed' in finished) return finished;
  const preview = content.kind === 'text' ? readLinkPreview(template, isSensitive) : {};
  return { content: { ...content, ...preview }, ...finished };
}

function fromTemplate({ text, approved }: WhatsappFields, rendering: Rendering): WhatsappContent {
  return approved
    ? composeApproved(approved, rendering)
    : composeText(rendering.text(text), rendering);
}

function composeText(rawText: string, rendering: Rendering): WhatsappContent {
  const text = rawText.replaceAll('\0', '').replace(/\r\n?/g, '\n');
  checkSize({ name: 'text', size: text.length, limit: whatsappLimits.textCharacters }, rendering);
  if (isBlank(text)) rendering.fail('empty_content', 'The text is empty.');
  return { kind: 'text', text };
}
