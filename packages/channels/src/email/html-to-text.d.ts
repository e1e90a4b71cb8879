/** The package brings no types; these are the parts that are used. */
declare module 'html-to-text' {
  export type Selector = {
    selector: string;
    format?: string;
    options?: Record<string, unknown>;
  };
  export function compile(options: {
    wordwrap: number | false;
    limits: { maxInputLength: number; maxDepth: number };
    selectors: Selector[];
    formatters?: Record<
      string,
      (
        element: { attribs?: Record<string, string> },
        walk: unknown,
        builder: { addInline(text: string): void },
      ) => void
    >;
  }): (html: string) => string;
}
