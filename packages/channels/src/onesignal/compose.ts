import type { CompiledTemplate, Composed, ComposeInput } from '../channel';
import { compileNotification } from '../notification/compose';
import type { Rendering } from '../rendering';
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
  return {
    paths,
    compose(input: ComposeInput<OnesignalOverride>): Composed<OnesignalContent> {
      const { content, rendering } = compose(input);
      check(content, rendering);
      const finished = rendering.finish(input.missing);
      return 'failed' in finished ? finished : { content, ...finished };
    },
  };
}

function check(content: OnesignalContent, rendering: Rendering): void {
  const { title, body, data } = content;
  if (title === '' && body.trim() === '') {
    rendering.fail('empty_content', 'Title and body are empty.');
  }
  checkBytes('data', { bytes: jsonBytes(data), limit: onesignalLimits.dataBytes }, rendering);
  const bytes = jsonBytes(content);
  checkBytes('The message', { bytes, limit: onesignalLimits.payloadBytes }, rendering);
}

function jsonBytes(value: object): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function checkBytes(
  name: string,
  { bytes, limit }: { bytes: number; limit: number },
  rendering: Rendering,
): void {
  if (bytes <= limit) return;
  rendering.fail('too_long', `${name} has ${bytes} bytes as JSON; the limit is ${limit}.`);
}
