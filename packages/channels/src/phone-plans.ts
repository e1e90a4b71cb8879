import { Metadata, type MetadataJson } from 'libphonenumber-js/core';
import { getCountries, getCountryCallingCode } from 'libphonenumber-js/max';
import allMetadata from 'libphonenumber-js/max/metadata';

/** The rules that all countries of one calling code share. */
type Plan = {
  /** Numbers of digits after the calling code that are possible in every country. */
  lengths: readonly number[];
  /**
   * Prefixes that a country may strip from those digits before it counts them; undefined means
   * none.
   */
  prefixes: RegExp | undefined;
};

const maxCodeDigits = 3;
let plans: ReadonlyMap<string, Plan> | undefined;

/**
 * Whether the library certainly considers an E.164 number possible, decided by length alone.
 * Calling the library costs more than the rest of planning a message. False means that the library
 * must decide.
 */
export function isPlainlyPossible(address: string): boolean {
  plans ??= readPlans();
  for (let digits = 1; digits <= maxCodeDigits; digits += 1) {
    const plan = plans.get(address.slice(1, digits + 1));
    if (plan) return isOfPlan(plan, address.slice(digits + 1));
  }
  return false;
}

function isOfPlan({ lengths, prefixes }: Plan, national: string): boolean {
  return lengths.includes(national.length) && !prefixes?.test(national);
}

/** By calling code; no code is a prefix of another. */
function readPlans(): ReadonlyMap<string, Plan> {
  const byCode = new Map<string, CountryPlan[]>();
  for (const country of getCountries()) {
    const code = getCountryCallingCode(country);
    byCode.set(code, [...(byCode.get(code) ?? []), getPlan(country)]);
  }
  return new Map([...byCode].map(([code, countryPlans]) => [code, intersectPlans(countryPlans)]));
}

type CountryPlan = {
  possibleLengths(): number[];
  nationalPrefixForParsing(): string | undefined;
};

function getPlan(country: ReturnType<typeof getCountries>[number]): CountryPlan {
  // In the JSON file, country codes are arbitrary strings.
  const metadata = new Metadata(allMetadata as unknown as MetadataJson);
  metadata.selectNumberingPlan(country);
  // The library has both members, but its types declare only one. A test compares the results with
  // the library's own.
  return metadata.numberingPlan as unknown as CountryPlan;
}

function intersectPlans(countryPlans: readonly CountryPlan[]): Plan {
  const lengths = countryPlans.map((plan) => plan.possibleLengths());
  const prefixes = countryPlans.flatMap((plan) => plan.nationalPrefixForParsing() ?? []);
  return {
    lengths: (lengths[0] ?? []).filter((length) => lengths.every((each) => each.includes(length))),
    prefixes: createPrefixPattern([...new Set(prefixes)]),
  };
}

/** One pattern for all: the countries of +1 have thirteen. */
function createPrefixPattern(prefixes: readonly string[]): RegExp | undefined {
  if (prefixes.length === 0) return undefined;
  // pattern-ignore: The prefixes are libphonenumber's, and a number has at most 15 digits.
  return new RegExp(`^(?:${prefixes.map((prefix) => `(?:${prefix})`).join('|')})`);
}
