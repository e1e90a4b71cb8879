/** A person wants no more messages from a sender, or wants them again. */
export type ReplyWish = 'stop' | 'start';

/** A reply to a sender that stops its messages, or undoes an earlier stop. */
export type Reply = {
  wish: ReplyWish;
  /** The person's address, in the form of the channel's targets. */
  address: string;
  /** As in suppressions: empty for every sender of the app. */
  sender: string;
  /** When the person replied, by the provider's clock. Absent if the provider does not say. */
  at?: Date;
  /** Identical when the provider repeats the call. */
  identity: string;
};

/**
 * The wish of a text that is one keyword and nothing else, in any case. Twilio's default keywords for SMS
 * (help.twilio.com, "Twilio support for opt-out keywords"), for every channel. "Stop promotions" is the
 * text of WhatsApp's own opt-out button. HELP and INFO are no keys: they change nothing.
 */
export function readKeyword(text: string): ReplyWish | undefined {
  return text.length > maxKeywordCharacters ? undefined : keywords.get(text.trim().toUpperCase());
}

/** A keyword with blanks around it. */
const maxKeywordCharacters = 64;

const stopKeywords = [
  ...['STOP', 'STOPALL', 'UNSUBSCRIBE', 'CANCEL', 'END', 'QUIT', 'REVOKE', 'OPTOUT'],
  'STOP PROMOTIONS',
];
const startKeywords = ['START', 'YES', 'UNSTOP'];

const keywords = new Map<string, ReplyWish>([
  ...stopKeywords.map((word) => [word, 'stop'] as const),
  ...startKeywords.map((word) => [word, 'start'] as const),
]);
