import { type Json, TemplateError } from '@belfry/shared';
import type { CompiledTemplate, ComposeInput, ComposeResult } from '../channel';
import { compileNotification } from '../notification/compose';
import type { NotificationContent } from '../notification/template';
import { checkFixedText, checkSize, createRendering, type Rendering } from '../rendering';
import { isWebPushTarget, readPushTarget } from './target';
import {
  countPayloadBytes,
  countWebPushBytes,
  isReservedKey,
  type PushContent,
  type PushOverride,
  type PushTemplate,
  pushLimits,
} from './template';

export function compilePush(
  template: PushTemplate,
  language?: string,
): CompiledTemplate<PushOverride, PushContent> {
  const { paths, compose } = compileNotification(template, language);
  const reserved = Object.keys(template.data ?? {}).find(isReservedKey);
  if (reserved !== undefined) {
    throw new TemplateError(`data.${reserved}: FCM reserves this key`, {
      line: 1,
      column: 1,
    });
  }
  checkFixedText((rendering) => {
    const content = toPush(compose(undefined, rendering), template.data_only);
    checkBytes(content, pushLimits.payloadBytes, rendering);
  });
  return {
    paths,
    compose(input) {
      const rendering = createRendering(input.data);
      const { data_only: isDataOnly, ...own } = input.override?.message ?? {};
      const content = compose(own, rendering);
      return finish(toPush(content, isDataOnly ?? template.data_only), input, rendering);
    },
  };
}

function toPush({ data, ...content }: NotificationContent, isDataOnly = false): PushContent {
  const texts = Object.entries(data).map(([key, value]) => [key, toText(value)]);
  return {
    ...content,
    data: Object.fromEntries(texts),
    ...(isDataOnly ? { data_only: true } : {}),
  };
}

/** An object as JSON, never as "[object Object]". */
function toText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function finish(
  content: PushContent,
  { target, missing }: ComposeInput<PushOverride>,
  rendering: Rendering,
): ComposeResult<PushContent> {
  check(content, target, rendering);
  const finished = rendering.finish(missing);
  if ('failed' in finished) return finished;
  const bytes = isWebPushTarget(target) ? countWebPushBytes(content) : countPayloadBytes(content);
  return { content, ...finished, notes: { bytes } };
}

function check(content: PushContent, target: string, rendering: Rendering): void {
  const { title, body, data, data_only: isDataOnly } = content;
  const isEmpty = title === '' && body === '';
  if (isEmpty && !(isDataOnly && Object.keys(data).length > 0)) {
    rendering.fail('empty_content', 'Title and body are both empty.');
  }
  const reserved = Object.keys(data).find(isReservedKey);
  if (reserved !== undefined) {
    rendering.fail('rejected_content', `data.${reserved}: FCM reserves this key.`);
  }
  if (isWebPushTarget(target)) {
    const [size, limit] = [countWebPushBytes(content), pushLimits.webPushBytes];
    checkSize({ name: 'The message', size, limit, unit: 'bytes as JSON' }, rendering);
    return;
  }
  const isTopic = 'topic' in readPushTarget(target);
  checkBytes(content, isTopic ? pushLimits.topicPayloadBytes : pushLimits.payloadBytes, rendering);
}

function checkBytes(content: PushContent, limit: number, rendering: Rendering): void {
  const unit = 'bytes of keys and values';
  checkSize({ name: 'The message', size: countPayloadBytes(content), limit, unit }, rendering);
}
