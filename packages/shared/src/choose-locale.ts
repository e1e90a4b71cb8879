export type ChosenLocale = {
  /** A key of the templates. */
  locale: string;
  /** A sentence for the log if the default language was used instead of the requested one. */
  note?: string;
};

/**
 * Chooses the language of a message: RFC 4647 lookup (section 3.4) of the requested tag, else the version's default.
 * Returns undefined if the default has no template either.
 */
export function chooseLocale(
  requested: string | undefined,
  templates: Readonly<Record<string, unknown>>,
  defaultLocale: string,
): ChosenLocale | undefined {
  const requestedTag = requested?.trim() || undefined;
  if (requestedTag !== undefined && Object.hasOwn(templates, requestedTag))
    return { locale: requestedTag };
  const matched = requestedTag === undefined ? undefined : lookUp(requestedTag, templates);
  if (matched !== undefined) return { locale: matched };
  const locale = Object.hasOwn(templates, defaultLocale)
    ? defaultLocale
    : findTag(canonicalizeLocale(defaultLocale), templates);
  if (locale === undefined) return undefined;
  return requestedTag === undefined
    ? { locale }
    : { locale, note: describeDefault(requestedTag, locale) };
}

/** The canonical BCP 47 tag, such as `pt-BR` for `pt_br`; undefined for text that is not a language tag. */
export function canonicalizeLocale(tag: string): string | undefined {
  const key = tag.trim();
  if (key.length > maxTagCharacters) return undefined;
  const cached = canonicalTags.get(key);
  if (cached !== undefined) return cached ?? undefined;
  const canonical = readTag(key);
  if (canonicalTags.size >= maxCanonicalTags) canonicalTags.clear();
  canonicalTags.set(key, canonical);
  return canonical ?? undefined;
}

/** The longest tag that the wire format allows; about twice the length of real ones. */
const maxTagCharacters = 64;
const maxCanonicalTags = 1_000;
const canonicalTags = new Map<string, string | null>();

function readTag(tag: string): string | null {
  try {
    return Intl.getCanonicalLocales(tag.replaceAll('_', '-'))[0] ?? null;
  } catch {
    return null;
  }
}

/** Removes subtags from the end; a single-letter subtag is removed with the one after it. */
function lookUp(
  requestedTag: string,
  templates: Readonly<Record<string, unknown>>,
): string | undefined {
  const subtags = canonicalizeLocale(requestedTag)?.split('-') ?? [];
  while (subtags.length > 0) {
    const match = findTag(subtags.join('-'), templates);
    if (match !== undefined) return match;
    subtags.pop();
    if (subtags.at(-1)?.length === 1) subtags.pop();
  }
  return undefined;
}

function findTag(
  canonical: string | undefined,
  templates: Readonly<Record<string, unknown>>,
): string | undefined {
  if (canonical === undefined) return undefined;
  if (Object.hasOwn(templates, canonical)) return canonical;
  return Object.keys(templates).find((tag) => canonicalizeLocale(tag) === canonical);
}

function describeDefault(requestedTag: string, locale: string): string {
  return canonicalizeLocale(requestedTag) === undefined
    ? `"${requestedTag}" is not a language tag such as de or pt-BR: the default, ${locale}, was used`
    : `there is no template for ${requestedTag}: the default, ${locale}, was used`;
}
