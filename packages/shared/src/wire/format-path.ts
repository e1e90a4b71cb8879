const maxPathCharacters = 200;

/** `batch[0].user.email`, or `body` for the root. Truncated, because callers choose the keys. */
export function formatPath(steps: readonly (string | number)[]): string {
  const text = steps
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '');
  if (text === '') return 'body';
  return text.length > maxPathCharacters ? `${text.slice(0, maxPathCharacters)}...` : text;
}
