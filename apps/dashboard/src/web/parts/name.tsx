import { Fragment, type ReactNode } from 'react';

/** A name or URL such as `order.shipped_today`. A line breaks after its punctuation rather than within a word. */
export function Name({ text }: { text: string }): ReactNode {
  return [...text.matchAll(/[^./_-]+[./_-]*|[./_-]+/g)].map(({ 0: part, index: at }) => (
    <Fragment key={at}>
      {at > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}
