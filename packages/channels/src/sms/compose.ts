import { escapeNothing, isBlank } from '@belfry/shared';
import type { CompiledTemplate, ComposeInput, ComposeResult } from '../channel';
import {
  checkFixedText,
  checkSize,
  createParseField,
  createRendering,
  type Field,
  listPaths,
  type Rendering,
} from '../rendering';
import { describeEncoding, toPlainCharacters } from './encoding';
import type { SmsContent, SmsOverride, SmsTemplate } from './template';

/** In UTF-16 units; the limit of the providers per call. */
const maxTextCharacters = 1_600;

export function compileSms(
  template: SmsTemplate,
  language?: string,
): CompiledTemplate<SmsOverride, SmsContent> {
  const text = createParseField(language)('text', template.text, () => escapeNothing);
  const fields = { text, isPlain: template.plain_characters ?? false };
  checkFixedText((rendering) => composeText(fields, undefined, rendering));
  return {
    paths: listPaths([text]),
    compose: (input) => composeSms(fields, input),
  };
}

type SmsFields = { text: Field; isPlain: boolean };

function composeSms(
  fields: SmsFields,
  { data, override, missing }: ComposeInput<SmsOverride>,
): ComposeResult<SmsContent> {
  const rendering = createRendering(data);
  const text = composeText(fields, override, rendering);
  const finished = rendering.finish(missing);
  if ('failed' in finished) return finished;
  return {
    content: { text, ...getOwnSender(override) },
    ...finished,
    notes: describeEncoding(text),
  };
}

function composeText(
  { text: field, isPlain }: SmsFields,
  override: SmsOverride | undefined,
  rendering: Rendering,
): string {
  const own = clean(override?.message?.text ?? '');
  const isOwn = !isBlank(own);
  const rendered = isOwn ? own : clean(rendering.text(field));
  const isShort = rendered.length <= maxTextCharacters;
  const text = isPlain && !isOwn && isShort ? toPlainCharacters(rendered) : rendered;
  checkSize({ name: 'text', size: text.length, limit: maxTextCharacters }, rendering);
  if (isBlank(text)) rendering.fail('empty_content', 'The text is empty.');
  return text;
}

/**
 * CR LF would use two characters of a segment, NUL ends a text for some readers, and an unpaired
 * surrogate is not a character.
 */
function clean(text: string): string {
  return text.replaceAll('\0', '').replace(/\r\n?/g, '\n').toWellFormed();
}

function getOwnSender(override: SmsOverride | undefined): { sender?: string } {
  const sender = override?.sender?.trim() || override?.message?.sender?.trim();
  return sender ? { sender } : {};
}
