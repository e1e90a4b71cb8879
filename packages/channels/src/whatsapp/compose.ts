import { escapeNothing } from '@belfry/shared';
import type { CompiledTemplate, Composed, ComposeInput } from '../channel';
import {
  createParseField,
  createRendering,
  type Field,
  pathsOf,
  type Rendering,
} from '../rendering';
import {
  type ApprovedFields,
  composeApproved,
  fieldsOfApproved,
  parseApproved,
} from './approved-template';
import { refuse } from './refuse';
import {
  type WhatsappContent,
  type WhatsappOverride,
  type WhatsappTemplate,
  whatsappLimits,
} from './template';

export function compileWhatsapp(
  template: WhatsappTemplate,
  language?: string,
): CompiledTemplate<WhatsappOverride, WhatsappContent> {
  const fields = parseFields(template, language);
  return {
    paths: pathsOf([fields.text, ...(fields.approved ? fieldsOfApproved(fields.approved) : [])]),
    compose: (input) => composeWhatsapp(fields, input),
  };
}

type WhatsappFields = { text: Field | undefined; approved: ApprovedFields | undefined };

function parseFields(
  { text, template }: WhatsappTemplate,
  language: string | undefined,
): WhatsappFields {
  const parseField = createParseField(language);
  const hasText = Boolean(text?.trim());
  const approved = template && parseApproved(template, parseField);
  if (hasText && approved) throw refuse('text', 'stands beside a template: leave one of them out');
  return {
    text: text && hasText ? parseField('text', text, () => escapeNothing) : undefined,
    approved,
  };
}

function composeWhatsapp(
  fields: WhatsappFields,
  { data, override, missing }: ComposeInput<WhatsappOverride>,
): Composed<WhatsappContent> {
  const rendering = createRendering(data);
  const own = override?.message?.text;
  const content = own?.trim() ? composeText(own, rendering) : fromTemplate(fields, rendering);
  const finished = rendering.finish(missing);
  return 'failed' in finished ? finished : { content, ...finished };
}

function fromTemplate({ text, approved }: WhatsappFields, rendering: Rendering): WhatsappContent {
  return approved
    ? composeApproved(approved, rendering)
    : composeText(rendering.text(text), rendering);
}

function composeText(given: string, rendering: Rendering): WhatsappContent {
  const text = given.replaceAll('\0', '').replace(/\r\n?/g, '\n');
  const limit = whatsappLimits.textCharacters;
  if (text.length > limit) {
    rendering.fail('too_long', `text: ${text.length} characters; the limit is ${limit}.`);
  }
  if (text.trim() === '') rendering.fail('empty_content', 'The text is empty.');
  return { kind: 'text', text };
}
