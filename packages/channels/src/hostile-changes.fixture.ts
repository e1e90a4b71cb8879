/** A template that prints `v` in many places, and how to read its message on arrival. */
export type HostileCase = {
  /** The provider's key in the registry. */
  provider: string;
  what: string;
  template: unknown;
  /** Returns what the recipient's client shows, without the parts that are new in each message. */
  read(send: never): unknown;
  /**
   * How places change the printed value or their whole text. Places are paths in the result of
   * `read`.
   */
  places?: { at: RegExp; value?: Change; changeText?: Change; maxCharacters?: number }[];
};

export type Change = (text: string) => string;

export const toOneLine: Change = (text) => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
export const toUnixBreaks: Change = (text) => text.replace(/\r\n?/g, '\n');
export const collapseWhitespace: Change = (text) => text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
export const slackLink: Change = (text) => text.replace(/[<>|\s]/g, encodeURIComponent);
const asciiControls = /((?![\u0080-\u009f])\p{Cc})+/gu;
export const inAngle: Change = (text) =>
  text.replace(/[\s"<>,\\]|[^\u0021-\u007e]/gu, encodeURIComponent);
export const fileName: Change = (text) =>
  text
    .replace(/^.*[/\\]/s, '')
    .replace(/\p{C}/gu, '')
    .trim();

export const withoutControls: Change = (text) => text.replace(asciiControls, ' ').trim();
export const noControls: Change = (text) => text.replace(asciiControls, '').trim();
