/** Names that handlers read from the query and the body of calls, such as `query.after` and `body.user.email`. */
export type ReadRecorder = {
  /** The names read since the last time. */
  take(): string[];
};

type Call = object;

/** Gives handlers objects that record their reads, so that a new parameter cannot be missed. */
export function recordReads({ request }: { request: object }): ReadRecorder {
  const names = new Set<string>();
  const recordName = (name: string) => void names.add(name);
  const bodies = new WeakMap<Call, unknown>();
  const query = findGetter(request, 'query');
  Object.defineProperty(request, 'query', {
    configurable: true,
    get(this: Call) {
      return observe(query.call(this), 'query', recordName);
    },
  });
  Object.defineProperty(request, 'body', {
    configurable: true,
    get(this: Call) {
      return observe(bodies.get(this), 'body', recordName);
    },
    set(this: Call, body: unknown) {
      bodies.set(this, body);
    },
  });
  return {
    take() {
      const recordedNames = [...names];
      names.clear();
      return recordedNames;
    },
  };
}

function findGetter(target: object, name: string): () => unknown {
  for (let at: object | null = target; at; at = Object.getPrototypeOf(at)) {
    const getter = Object.getOwnPropertyDescriptor(at, name)?.get;
    if (getter) return getter;
  }
  throw new Error(`A request of Express has no ${name}`);
}

type RecordName = (name: string) => void;

/** The same value. Members are recorded by their path, elements of a list by the path of the list. */
function observe(value: unknown, path: string, recordName: RecordName): unknown {
  if (!isJson(value)) return value;
  const getPath = (name: string) => (Array.isArray(value) ? path : `${path}.${name}`);
  const recordMember = (name: string | symbol) => {
    if (typeof name === 'string' && !isOfLanguage(value, name)) recordName(getPath(name));
  };
  return new Proxy(value, {
    get(target, name) {
      recordMember(name);
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function'
        ? member
        : observe(member, getPath(String(name)), recordName);
    },
    has(target, name) {
      recordMember(name);
      return Reflect.has(target, name);
    },
  });
}

/** Not bytes that are still to be parsed. */
function isJson(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  return Array.isArray(value) || [Object.prototype, null].includes(Object.getPrototypeOf(value));
}

/** Members of every object or list, and those that JSON and promises look for. */
function isOfLanguage(value: object, name: string): boolean {
  return Array.isArray(value) || name in Object.prototype || ['toJSON', 'then'].includes(name);
}
