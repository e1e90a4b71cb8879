/** The fields that a decoder requires. A key ending with `?` may be missing or null. Other keys are allowed. */
export type Shape = { readonly [key: string]: Need };
type Need = keyof typeof kinds | Shape | readonly [Shape];

const kinds = {
  string: (value: unknown) => typeof value === 'string',
  boolean: (value: unknown) => typeof value === 'boolean',
  integer: Number.isInteger,
  strings: (value: unknown) =>
    Array.isArray(value) && value.every((one) => typeof one === 'string'),
  platform: (value: unknown) => ['android', 'web', 'ios'].includes(String(value)),
};

/** Lists the paths that do not match the decoder's requirements. */
export function findMisfits(shape: Shape, value: unknown, at = 'answer'): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return [`${at} is no object`];
  }
  return Object.entries(shape).flatMap(([key, need]) => {
    const name = key.replace(/\?$/, '');
    const member: unknown = Object.getOwnPropertyDescriptor(value, name)?.value;
    if ((member === undefined || member === null) && name !== key) return [];
    return findMemberMisfits(need, member, `${at}.${name}`);
  });
}

function findMemberMisfits(need: Need, member: unknown, at: string): string[] {
  if (typeof need === 'string') return kinds[need](member) ? [] : [`${at} is no ${need}`];
  if (!isList(need)) return findMisfits(need, member, at);
  if (!Array.isArray(member)) return [`${at} is no list`];
  return member.flatMap((one, index) => findMisfits(need[0], one, `${at}[${index}]`));
}

function isList(need: Shape | readonly [Shape]): need is readonly [Shape] {
  return Array.isArray(need);
}
