/** The package has no types; these are the parts we use. */
declare module 'html-to-text' {
  export type Selector = {
    selector: string;
    format?: string;
    options?: Record<string, unknown>;
  };
  export type Element = { attribs?: Record<string, string>; children: unknown };
  export type Builder<Metadata> = {
    metadata: Metadata;
    addInline(text: string, options?: { noWordTransform: boolean }): void;
    pushWordTransform(transform: (word: string) => string): void;
    popWordTransform(): void;
  };
  export type Walk = (children: unknown, builder: unknown) => void;
  export function compile<Metadata>(options: {
    wordwrap: number | false;
    limits: { maxInputLength: number; maxDepth: number };
    selectors: Selector[];
    formatters?: Record<string, (element: Element, walk: Walk, builder: Builder<Metadata>) => void>;
  }): (html: string, metadata: Metadata) => string;
}
