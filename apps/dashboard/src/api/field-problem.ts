/** The last names of a field path as words: `settings.from.address` is "From address", `newPassword` is "New password". */
export function formatFieldName(path: string): string {
  const words = path
    .replace(/^(settings|credentials|definition|params)\./, '')
    .replaceAll(/[._]/g, ' ')
    .replaceAll(/([a-z])([A-Z])/g, (_, before: string, after: string) => {
      return `${before} ${after.toLowerCase()}`;
    });
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** `Host`, `is missing` as "Host is missing."; a problem that is a sentence follows a colon. */
export function toSentence(label: string, problem: string): string {
  const text = /^[A-Z]/.test(problem) ? `${label}: ${problem}` : `${label} ${problem}`;
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
