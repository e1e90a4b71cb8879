import { Metadata, type MetadataJson } from 'libphonenumber-js/core';
import { getCountries, getCountryCallingCode } from 'libphonenumber-js/max';
import allMetadata from 'libphonenumber-js/max/metadata';

/** What all countries of one calling code agree on. */
type Plan = {
  /** Digits behind the calling code that are possible in each of them. */
  lengths: readonly number[];
  /** What one of them might take off the front of those digits before it counts them; undefined is nothing. */
  prefixes: RegExp | undefined;
};

const maxCodeDigits = 3;
let plans: ReadonlyMap<string, Plan> | undefined;

/**
 * Whether the library is certain to hold a number in E.164 for possible, told from the lengths alone: asking it costs more than
 * all else that planning a message does. False means nothing; then it is asked.
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

/** By calling code; no code begins with another one. */
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
  // As a JSON file its country codes are any texts.
  const metadata = new Metadata(allMetadata as unknown as MetadataJson);
  metadata.selectNumberingPlan(country);
  // The library has both, its types only the first; a test compares what follows from them with what it says itself.
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

/** One for all of them: the countries of +1 have thirteen. */
function createPrefixPattern(prefixes: readonly string[]): RegExp | undefined {
  if (prefixes.length === 0) return undefined;
  // pattern-ignore: The prefixes are libphonenumber's, and a number has at most 15 digits.
  return new RegExp(`^(?:${prefixes.map((prefix) => `(?:${prefix})`).join('|')})`);
}
