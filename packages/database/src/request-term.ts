/**
 * SQL of `request_term`, which finds requests by a text of the caller in order of their ids: by `key:value` of the
 * metadata, and by the cancel key. Only items with these fields have terms, so other sends pay nothing. A term is a hash:
 * an entry of the index has the same size whatever the text, and no text outlives its item there. 128 bits of SHA-256 are
 * compared as if they were the text.
 */
function hashTerm(kind: 'metadata' | 'cancel_key', text: string): string {
  return `left(encode(sha256(convert_to('${kind}:' || ${text}, 'UTF8')), 'hex'), 32)::uuid`;
}

/** SQL expression: the term of metadata, for a text `key:value`. */
export function metadataTerm(text: string): string {
  return hashTerm('metadata', text);
}

/** SQL expression: the term of a cancel key. */
export function cancelTerm(text: string): string {
  return hashTerm('cancel_key', text);
}

const selectTexts = (item: string) =>
  `SELECT e.key || ':' || e.value FROM jsonb_each_text(${item}.metadata::jsonb) e`;

/** SQL condition: the metadata of the item has this `key:value`. */
export function hasMetadata(item: string, text: string): string {
  return `${text} IN (${selectTexts(item)})`;
}

/** SELECT of the terms of an item. */
export function selectTerms(item: string): string {
  return `
  SELECT ${metadataTerm('e.text')} AS term FROM (${selectTexts(item)}) e (text)
  UNION ALL SELECT ${cancelTerm(`${item}.cancel_key`)} WHERE ${item}.cancel_key IS NOT NULL`;
}
