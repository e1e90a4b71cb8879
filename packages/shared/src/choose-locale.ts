export type ChosenLocale = {
  /** A key of the templates. */
  locale: string;
  /** A sentence for the log where the default language took the place of the requested one. */
  note?: string;
};

/**
 * The language of a message: the requested one by the lookup of RFC 4647 (section 3.4), else the version's default.
 * Undefined where the default has no template either.
 */
export function chooseLocale(
  requested: string | undefined,
  templates: Readonly<Record<string, unknown>>,
  defaultLocale: string,
): ChosenLocale | undefined {
  const wanted = requested?.trim() || undefined;
  if (wanted !== undefined && Object.hasOwn(templates, wanted)) return { locale: wanted };
  const matched = wanted === undefined ? undefined : lookUp(wanted, templates);
  if (matched !== undefined) return { locale: matched };
  const locale = Object.hasOwn(templates, defaultLocale)
    ? defaultLocale
    : findTag(canonicalizeLocale(defaultLocale), templates);
  if (locale === undefined) return undefined;
  return wanted === undefined ? { locale } : { locale, note: describeDefault(wanted, locale) };
}

/** The canonical BCP 47 tag, such as `pt-BR` for `pt_br`; undefined for text that is not a language tag. */
export function canonicalizeLocale(tag: string): string | undefined {
  const key = tag.trim();
  if (key.length > maxTagCharacters) return undefined;
  const known = canonicalTags.get(key);
  if (known !== undefined) return known ?? undefined;
  const canonical = readTag(key);
  if (canonicalTags.size >= maxCanonicalTags) canonicalTags.clear();
  canonicalTags.set(key, canonical);
  return canonical ?? undefined;
}

/** As long as the wire takes one, and twice as long as real ones are. */
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

/** Subtags are dropped from the end, and a single-letter one together with what it introduced. */
function lookUp(wanted: string, templates: Readonly<Record<string, unknown>>): string | undefined {
  const subtags = canonicalizeLocale(wanted)?.split('-') ?? [];
  while (subtags.length > 0) {
    const found = findTag(subtags.join('-'), templates);
    if (found !== undefined) return found;
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

function describeDefault(wanted: string, locale: string): string {
  return canonicalizeLocale(wanted) === undefined
    ? `"${wanted}" is not a language tag such as de or pt-BR: the default, ${locale}, was used`
    : `there is no template for ${wanted}: the default, ${locale}, was used`;
}
