import { Fragment, type ReactNode } from 'react';
import { CopyButton } from './controls';

/** A complete payload that can be copied. */
export function CodeBlock({
  title,
  text,
  aside,
  children,
}: {
  title: ReactNode;
  text: string;
  aside?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <figure className="code">
      <figcaption>
        <span className="grow">{title}</span>
        {aside}
        <CopyButton text={text} label={`Copy ${typeof title === 'string' ? title : 'this'}`} />
      </figcaption>
      {/* A scrollable region must be focusable by keyboard. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: WCAG 2.1.1 requires it for scrollable content. */}
      <pre tabIndex={0}>{children ?? <Json text={text} />}</pre>
    </figure>
  );
}

export function JsonBlock({
  title,
  value,
  aside,
}: {
  title: ReactNode;
  value: unknown;
  aside?: ReactNode;
}) {
  return <CodeBlock title={title} text={toText(value)} aside={aside} />;
}

export function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null, null, 2);
}

const tokens = /("(?:\\.|[^"\\])*(?:"|\\?$))(\s*:)?|[\w.+-]+/gs;
const literal = /^(?:true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;
const longestColoured = 20_000;

/** Highlights JSON; other text is unchanged. */
function Json({ text }: { text: string }) {
  if (text.length > longestColoured) return text;
  const nodes: ReactNode[] = [];
  let end = 0;
  for (const match of text.matchAll(tokens)) {
    const [matchText, string, colon = ''] = match;
    if (string === undefined && !literal.test(matchText)) continue;
    nodes.push(<Fragment key={`${match.index}-`}>{text.slice(end, match.index)}</Fragment>);
    nodes.push(
      <span key={match.index} className={getTokenClass(string, colon)}>
        {string ?? matchText}
      </span>,
    );
    nodes.push(<Fragment key={`${match.index}+`}>{colon}</Fragment>);
    end = match.index + matchText.length;
  }
  return [...nodes, text.slice(end)];
}

function getTokenClass(string: string | undefined, colon: string): string {
  if (string === undefined) return 'nu';
  return colon ? 'k' : 'st';
}
