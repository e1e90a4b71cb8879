/** Checks what the types guarantee, for callers without types. */
export function requireText<T extends object>(name: string, body: T, field: keyof T & string) {
  requireObject(name, body);
  const value: unknown = body[field];
  if (typeof value !== 'string' || value.trim() === '') {
    throw new TypeError(`${name}: ${field} must be a string that is not blank`);
  }
}

export function requireObject(name: string, body: unknown): void {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new TypeError(`${name}: the body must be an object`);
  }
}
