import type { FailedOutcome } from '../network-failure';
import { createTwilioProvider } from '../twilio/provider';
import type { TwilioContent } from '../twilio/request';
import { whatsappRate } from './rate';
import type { Parameter, TemplateContent, WhatsappContent } from './template';

/** Twilio's limit is lower than that of Meta's Cloud API. */
const maxTextCharacters = 1_600;

export const twilioWhatsapp = createTwilioProvider<WhatsappContent>({
  scheme: 'whatsapp:',
  senders: ['number', 'service'],
  rate: whatsappRate,
  senderHint: 'The WhatsApp number with its country code, or a messaging service (MG…).',
  read: (content) => (content.kind === 'text' ? readText(content.text) : readTemplate(content)),
});

function readText(text: string): TwilioContent | { failure: FailedOutcome } {
  if (text.length <= maxTextCharacters) return { message: { Body: text } };
  const detail = `The text has ${text.length} characters; Twilio’s limit for WhatsApp is ${maxTextCharacters}.`;
  return { failure: { outcome: 'rejected', scope: 'content', reason: 'too_long', detail } };
}

function readTemplate({
  contentSid,
  parameters,
}: TemplateContent): TwilioContent | { failure: FailedOutcome } {
  if (contentSid === undefined) return { failure: noContentSid };
  return {
    message: {
      ContentSid: contentSid,
      ...(parameters.length > 0 ? { ContentVariables: toVariables(parameters) } : {}),
    },
  };
}

const noContentSid: FailedOutcome = {
  outcome: 'rejected',
  scope: 'content',
  reason: 'no_content_sid',
  detail: 'The template has no Content SID, which Twilio needs.',
};

/** By name when the parameters have names, or else by position from 1. */
function toVariables(parameters: readonly Parameter[]): string {
  const pairs = parameters.map(({ name, text }, index) => [name ?? String(index + 1), text]);
  return JSON.stringify(Object.fromEntries(pairs));
}
