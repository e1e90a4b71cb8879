import { escapeNothing } from '@belfry/shared';
import type { CompiledTemplate, Composed, ComposeInput } from '../channel';
import { createParseField, createRendering, type Field, pathsOf } from '../rendering';
import { describeEncoding, toPlainCharacters } from './encoding';
import type { SmsContent, SmsOverride, SmsTemplate } from './template';

/** In UTF-16 units; what the providers take in one call. */
const maxTextCharacters = 1_600;

export function compileSms(
  template: SmsTemplate,
  language?: string,
): CompiledTemplate<SmsOverride, SmsContent> {
  const text = createParseField(language)('text', template.text, () => escapeNothing);
  const isPlain = template.plain_characters ?? false;
  return {
    paths: pathsOf([text]),
    compose: (input) => composeSms({ text, isPlain }, input),
  };
}

function composeSms(
  { text: field, isPlain }: { text: Field; isPlain: boolean },
  { data, override, missing }: ComposeInput<SmsOverride>,
): Composed<SmsContent> {
  const rendering = createRendering(data);
  const given = clean(override?.message?.text ?? '');
  const isGiven = given.trim() !== '';
  const rendered = isGiven ? given : clean(rendering.text(field));
  const text = isPlain && !isGiven && isShort(rendered) ? toPlainCharacters(rendered) : rendered;
  if (!isShort(text)) rendering.fail('too_long', tooLong(text));
  if (text.trim() === '') rendering.fail('empty_content', 'The text is empty.');
  const finished = rendering.finish(missing);
  if ('failed' in finished) return finished;
  return {
    content: { text, ...senderOf(override) },
    ...finished,
    notes: describeEncoding(text),
  };
}

/** CR LF would take two characters of a segment, NUL ends a text for some readers, half a character is none. */
function clean(text: string): string {
  return text.replaceAll('\0', '').replace(/\r\n?/g, '\n').toWellFormed();
}

function isShort(text: string): boolean {
  return text.length <= maxTextCharacters;
}

function tooLong({ length }: string): string {
  return `text has ${length} characters; at most ${maxTextCharacters} are allowed.`;
}

function senderOf(override: SmsOverride | undefined): { sender?: string } {
  const sender = override?.sender?.trim() || override?.message?.sender?.trim();
  return sender ? { sender } : {};
}
