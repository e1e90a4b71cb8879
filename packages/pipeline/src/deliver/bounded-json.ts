const maxStoredCharacters = 16_384;
const longStringCharacters = 4_096;

/**
 * JSON of at most 16 KB for the log: long strings are cut first, and what is still too long is cut as text.
 * Undefined for undefined. Never throws: it runs after the call, when the result must not be lost.
 */
export function toBoundedJson(value: unknown): string | undefined {
  const text = toJson(value);
  if (text === undefined || text.length <= maxStoredCharacters) return text;
  return JSON.stringify({ cut: text.slice(0, maxStoredCharacters / 2), characters: text.length });
}

function toJson(value: unknown): string | undefined {
  try {
    const text = JSON.stringify(value);
    // Most are short, and a function that sees every member costs more than all the rest of it.
    if (text === undefined || text.length <= longStringCharacters) return text;
    return JSON.stringify(value, (_name, member: unknown) =>
      typeof member === 'string' && member.length > longStringCharacters
        ? `${member.slice(0, longStringCharacters)}… (${member.length} characters)`
        : member,
    );
  } catch {
    return JSON.stringify({ unreadable: true });
  }
}
