/** Which values of a URL parameter are valid, and what the others are: `a start time that is not a time`. */
export type ParamRule = { isValid(value: string): boolean; problem: string };
export type ParamRules = Record<string, ParamRule>;

export const anyText: ParamRule = { isValid: () => true, problem: '' };

export function oneOfTexts(values: readonly string[], problem: string): ParamRule {
  return { isValid: (value) => values.includes(value), problem };
}

export type LinkParams<Rules extends ParamRules> = {
  values: { [Name in keyof Rules]?: string };
  /** One sentence for each parameter that was ignored. */
  ignored: string[];
};

const shownCharacters = 40;

/** Reads the parameters of a link. Unknown and invalid ones are ignored, so that no page fails on a wrong link. */
export function readParams<Rules extends ParamRules>(
  search: string,
  rules: Rules,
): LinkParams<Rules> {
  const values: Record<string, string> = {};
  const ignored: string[] = [];
  for (const [name, value] of new URLSearchParams(search)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (value === '' || Object.hasOwn(values, name)) continue;
    if (rule?.isValid(value)) values[name] = value;
    else ignored.push(describeIgnored(rule?.problem ?? `an unknown parameter “${cut(name)}”`));
  }
  // Each name in `values` has a rule.
  return { values: values as LinkParams<Rules>['values'], ignored };
}

/** `problem` is what the link had: `a start time that is not a time`. */
export function describeIgnored(problem: string): string {
  return `The link had ${problem}; it was ignored.`;
}

function cut(text: string): string {
  return text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text;
}
