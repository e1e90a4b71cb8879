import { escapeAngle } from '@belfry/shared';
import type { CompiledTemplate, Composed, ComposeInput } from '../channel';
import { createParseField, createRendering, type Field, type Rendering } from '../rendering';
import { createTelegramEscape } from './markup';
import { finishMarkup, plainTextOf } from './plain-text';
import type { TelegramContent, TelegramOverride, TelegramTemplate } from './template';

/** Counted by Telegram in UTF-16 units, after it has read tags and entities. */
const maxTextCharacters = 4_096;

export function compileTelegram(
  template: TelegramTemplate,
  language?: string,
): CompiledTemplate<TelegramOverride, TelegramContent> {
  const field = createParseField(language)('text', template.text, createTelegramEscape);
  return {
    paths: [...field.template.paths],
    compose: (input) => composeTelegram(field, template, input),
  };
}

function composeTelegram(
  field: Field,
  template: TelegramTemplate,
  { data, override, missing }: ComposeInput<TelegramOverride>,
): Composed<TelegramContent> {
  const rendering = createRendering(data);
  const own = override?.message;
  // An override is literal: what looks like a tag in it is shown, not obeyed.
  const text = own?.text?.trim()
    ? finishMarkup(escapeAngle(own.text))
    : finishMarkup(rendering.text(field));
  check(text, rendering);
  const finished = rendering.finish(missing);
  if ('failed' in finished) return finished;
  const isSilent = own?.disable_notification ?? template.disable_notification;
  const hasNoPreview = own?.disable_link_preview ?? template.disable_link_preview;
  return {
    content: {
      text,
      ...(isSilent ? { disableNotification: true } : {}),
      ...(hasNoPreview ? { disableLinkPreview: true } : {}),
    },
    ...finished,
  };
}

/** A text that is too long is never split: one message is one call, and a half that arrives alone says something else. */
function check(text: string, rendering: Rendering): void {
  const plain = plainTextOf(text).trim();
  if (plain === '') rendering.fail('empty_content', 'The text is empty.');
  if (plain.length > maxTextCharacters) {
    rendering.fail(
      'too_long',
      `text: ${plain.length} characters; the limit is ${maxTextCharacters}.`,
    );
  }
}
