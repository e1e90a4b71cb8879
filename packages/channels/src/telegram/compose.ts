import { escapeAngle, isBlank } from '@belfry/shared';
import type { CompiledTemplate, ComposeInput, ComposeResult } from '../channel';
import { readLinkPreview } from '../link-preview';
import {
  checkFixedText,
  checkSize,
  createParseField,
  createRendering,
  type Field,
  type Rendering,
} from '../rendering';
import { createTelegramEscape } from './markup';
import { finishMarkup, toPlainText } from './plain-text';
import type { TelegramContent, TelegramOverride, TelegramTemplate } from './template';

/** In UTF-16 units, counted by Telegram after parsing tags and entities. */
const maxTextCharacters = 4_096;

export function compileTelegram(
  template: TelegramTemplate,
  language?: string,
): CompiledTemplate<TelegramOverride, TelegramContent> {
  const field = createParseField(language)('text', template.text, createTelegramEscape);
  checkFixedText((rendering) => composeText(field, undefined, rendering));
  return {
    paths: [...field.template.paths],
    compose: (input) => composeTelegram(field, template, input),
  };
}

function composeTelegram(
  field: Field,
  template: TelegramTemplate,
  { data, override, missing, isSensitive }: ComposeInput<TelegramOverride>,
): ComposeResult<TelegramContent> {
  const rendering = createRendering(data);
  const own = override?.message;
  const text = composeText(field, own?.text, rendering);
  const finished = rendering.finish(missing);
  if ('failed' in finished) return finished;
  const isSilent = own?.disable_notification ?? template.disable_notification;
  const hidesPreview = own?.disable_link_preview;
  return {
    content: {
      text,
      ...(isSilent ? { disableNotification: true } : {}),
      ...readLinkPreview(template, isSensitive),
      ...(hidesPreview === undefined ? {} : { linkPreview: !hidesPreview }),
    },
    ...finished,
  };
}

/**
 * A long text is never split: one message is one call, and half a text could have another meaning.
 */
function composeText(field: Field, own: string | undefined, rendering: Rendering): string {
  // An override is literal: tags in it are shown, not parsed.
  const isOwn = own !== undefined && !isBlank(own);
  const text = finishMarkup(isOwn ? escapeAngle(own) : rendering.text(field));
  const plain = toPlainText(text).trim();
  if (isBlank(plain)) rendering.fail('empty_content', 'The text is empty.');
  checkSize({ name: 'text', size: plain.length, limit: maxTextCharacters }, rendering);
  return text;
}
