const maxPathCharacters = 200;

/** `batch[0].user.email`, and `body` for the whole; cut short, as keys are the caller's. */
export function formatPath(steps: readonly (string | number)[]): string {
  const text = steps
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '');
  if (text === '') return 'body';
  return text.length > maxPathCharacters ? `${text.slice(0, maxPathCharacters)}...` : text;
}
