import { Fragment, type ReactNode } from 'react';

/**
 * A name, address or URL such as `order.shipped_today`, or a text with some. On a phone, one that fits into a line is not
 * divided. A longer one is divided after its punctuation.
 */
export function Name({ text }: { text: string }): ReactNode {
  return [...text.matchAll(/\s+|\S+/g)].map(({ 0: word, index }) => {
    const parts = [...word.matchAll(/[^./_@-]+[./_@-]*|[./_@-]+/g)];
    if (parts.length < 2) return word;
    return (
      <span key={index} className="name">
        {parts.map(({ 0: part, index: at }) => (
          <Fragment key={at}>
            {at > 0 && <wbr />}
            {part}
          </Fragment>
        ))}
      </span>
    );
  });
}
