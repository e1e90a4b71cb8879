/** What a channel composed is of its own form; a preview reads only what it knows, and survives anything else. */
export type Fields = Record<string, unknown>;

export function fieldsOf(content: unknown): Fields {
  return typeof content === 'object' && content !== null && !Array.isArray(content)
    ? { ...content }
    : {};
}

export function textOf(fields: Fields, ...names: string[]): string {
  for (const name of names) {
    const value = fields[name];
    if (typeof value === 'string' && value !== '') return value;
  }
  return '';
}

export function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

/** A mrkdwn or Telegram text without its marks: a preview shows words, and never runs what a person wrote. */
export type Run = { text: string; isStrong: boolean };

export function runsOfMrkdwn(text: string): Run[] {
  const plain = text
    .replace(/<([^|>]+)\|([^>]+)>/g, '$2')
    .replace(/<(https?:[^>]+)>/g, '$1')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
  return plain.split(/\*([^*\n]+)\*/).map((part, at) => ({ text: part, isStrong: at % 2 === 1 }));
}

export function runsOfHtml(html: string): Run[] {
  const parts = html.split(/<(?:b|strong)>([\s\S]*?)<\/(?:b|strong)>/i);
  return parts.map((part, at) => ({ text: plainOf(part), isStrong: at % 2 === 1 }));
}

function plainOf(html: string): string {
  return html
    .replace(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
}
