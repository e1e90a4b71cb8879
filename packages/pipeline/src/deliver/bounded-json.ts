const maxStoredCharacters = 16_384;
const longStringCharacters = 4_096;

/**
 * JSON of at most 16 KB for the log. Cuts long strings first; if the JSON is still too long, cuts it as text.
 * Undefined for undefined. Never throws, because it runs after the call, when the result must not be lost.
 */
export function toBoundedJson(value: unknown): string | undefined {
  const text = toJson(value);
  if (text === undefined || text.length <= maxStoredCharacters) return text;
  return JSON.stringify({ cut: text.slice(0, maxStoredCharacters / 2), characters: text.length });
}

function toJson(value: unknown): string | undefined {
  try {
    const text = JSON.stringify(value);
    // Most values are short, and a replacer function costs more than everything else here.
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
