import { Type } from '@sinclair/typebox';

/** The longest that Twilio keeps a message in its queue. */
const maxValiditySeconds = 36_000;
const maxMedia = 10;

/** Fields of Twilio's request that a call may set: none says who sends, to whom, what, or who is told of it. */
export const twilioPayload = Type.Object({
  ValidityPeriod: Type.Optional(
    Type.Integer({
      title: 'Validity period',
      description: 'Seconds that the message may wait in Twilio’s queue.',
      minimum: 1,
      maximum: maxValiditySeconds,
    }),
  ),
  MediaUrl: Type.Optional(
    Type.Array(Type.String({ pattern: '^https://', maxLength: 2_000 }), {
      title: 'Media',
      description: 'Pictures, which Twilio fetches.',
      minItems: 1,
      maxItems: maxMedia,
    }),
  ),
  SmartEncoded: Type.Optional(Type.Boolean({ title: 'Smart encoding' })),
  ShortenUrls: Type.Optional(
    Type.Boolean({ title: 'Shorten links', description: 'With a messaging service only.' }),
  ),
  SendAsMms: Type.Optional(Type.Boolean({ title: 'Send as MMS' })),
  RiskCheck: Type.Optional(
    Type.Union([Type.Literal('enable'), Type.Literal('disable')], {
      title: 'Check for SMS pumping',
    }),
  ),
  MessageIntent: Type.Optional(
    Type.String({ title: 'Purpose', description: 'Such as otp.', pattern: '^[a-z]{1,32}$' }),
  ),
  ProvideFeedback: Type.Optional(Type.Boolean({ title: 'Feedback will be given' })),
  ContentRetention: Type.Optional(
    Type.Union([Type.Literal('retain'), Type.Literal('discard')], { title: 'Keeping of the text' }),
  ),
  AddressRetention: Type.Optional(
    Type.Union([Type.Literal('retain'), Type.Literal('obfuscate')], {
      title: 'Keeping of the number',
    }),
  ),
});
