import { Type } from '@sinclair/typebox';

/** The longest time that Twilio keeps a message in its queue. */
const maxValiditySeconds = 36_000;
const maxMedia = 10;

/**
 * The request fields that a call may set: none sets the sender, recipient, content or receipt URL.
 */
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
      description: 'URLs of images that Twilio fetches.',
      minItems: 1,
      maxItems: maxMedia,
    }),
  ),
  SmartEncoded: Type.Optional(Type.Boolean({ title: 'Smart encoding' })),
  ShortenUrls: Type.Optional(
    Type.Boolean({ title: 'Shorten links', description: 'Only with a messaging service.' }),
  ),
  SendAsMms: Type.Optional(Type.Boolean({ title: 'Send as MMS' })),
  RiskCheck: Type.Optional(
    Type.Union([Type.Literal('enable'), Type.Literal('disable')], {
      title: 'Check for SMS pumping',
    }),
  ),
  MessageIntent: Type.Optional(
    Type.String({ title: 'Purpose', description: 'For example otp.', pattern: '^[a-z]{1,32}$' }),
  ),
  ProvideFeedback: Type.Optional(Type.Boolean({ title: 'Feedback will be provided' })),
  ContentRetention: Type.Optional(
    Type.Union([Type.Literal('retain'), Type.Literal('discard')], { title: 'Text retention' }),
  ),
  AddressRetention: Type.Optional(
    Type.Union([Type.Literal('retain'), Type.Literal('obfuscate')], {
      title: 'Number retention',
    }),
  ),
});
