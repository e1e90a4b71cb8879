/** The description of a field that only old clients send. The types of packages/client leave such fields out by this text. */
export function describeAlias(name: string): string {
  return `Alias of \`${name}\`, which takes precedence.`;
}
