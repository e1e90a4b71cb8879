import type { CompiledTemplate, ComposeInput, ComposeResult } from '../channel';
import { compileNotification } from '../notification/compose';
import { checkFixedText, checkSize, createRendering, type Rendering } from '../rendering';
import {
  type OnesignalContent,
  type OnesignalOverride,
  type OnesignalTemplate,
  onesignalLimits,
} from './template';

export function compileOnesignal(
  template: OnesignalTemplate,
  language?: string,
): CompiledTemplate<OnesignalOverride, OnesignalContent> {
  const { paths, compose } = compileNotification(template, language);
  checkFixedText((rendering) => check(compose(undefined, rendering), rendering));
  return {
    paths,
    compose({
      data,
      override,
      missing,
    }: ComposeInput<OnesignalOverride>): ComposeResult<OnesignalContent> {
      const rendering = createRendering(data);
      const content = compose(override?.message, rendering);
      check(content, rendering);
      const finished = rendering.finish(missing);
      return 'failed' in finished ? finished : { content, ...finished };
    },
  };
}

function check(content: OnesignalContent, rendering: Rendering): void {
  const { title, body, data } = content;
  if (title === '' && body === '') {
    rendering.fail('empty_content', 'Title and body are both empty.');
  }
  const { dataBytes, payloadBytes } = onesignalLimits;
  const unit = 'bytes as JSON';
  checkSize({ name: 'data', size: jsonBytes(data), limit: dataBytes, unit }, rendering);
  checkSize(
    { name: 'The message', size: jsonBytes(content), limit: payloadBytes, unit },
    rendering,
  );
}

function jsonBytes(value: object): number {
  return Buffer.byteLength(JSON.stringify(value));
}
