import { Type } from '@sinclair/typebox';
import { limits } from './limits';

/** Texts of the caller about an item, by key. Never rendered, never sent to a provider. */
export type Metadata = { readonly [key: string]: string };

const { metadataKeys, metadataKeyCharacters, metadataValueCharacters } = limits;

// Not Type.Record: its pattern for keys leaves out keys with a line break.
export const wireMetadata = Type.Unsafe<Metadata>({
  type: 'object',
  maxProperties: metadataKeys,
  propertyNames: { minLength: 1, maxLength: metadataKeyCharacters },
  additionalProperties: { type: 'string', maxLength: metadataValueCharacters },
  'x-problem': `must have keys of 1 to ${metadataKeyCharacters} characters`,
  description: `Your own texts about this message, such as an order number: at most ${metadataKeys} keys of 1 to ${metadataKeyCharacters} characters, with values of at most ${metadataValueCharacters} characters. The status of the request returns them, and the log of the dashboard finds the request by \`key:value\`. Templates cannot use them. They are not sealed, also for sensitive events, so put no secret into them.`,
});

export const metadataAnswer = Type.Unsafe<Metadata>({
  type: 'object',
  additionalProperties: { type: 'string' },
  description: '`metadata` of the item.',
});
