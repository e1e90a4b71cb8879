import {
  createSimilar,
  type Field,
  getValues,
  listFields,
  type RouteCall,
  type ValueTypes,
  withValue,
} from './route-call';
import type { RowWatch, WatchedRows } from './tenant-rows';
import { accountKeys, type Twin } from './twins';

/** Tenants whose values other callers try. */
export type Victim = {
  twin: Twin;
  rows: WatchedRows;
  /** Path values with which a victim's call succeeds. */
  params?: Readonly<Record<string, string>>;
  /** Calls come from another app of the same account, which may see data of the account. */
  isSameAccount?: boolean;
};

export type Answer = { status: number; text: string };

/** A caller of a separate account, and a call of the route that succeeds. */
export type Scene = {
  twin: Twin;
  call: RouteCall;
  /** Whether a successful call changes something: then each call needs a new caller. */
  hasEffect: boolean;
  send(call: RouteCall): Promise<Answer>;
};

export type Probe = {
  open(): Promise<Scene>;
  /** Fields that handlers have read since the last time, such as `query.after`. */
  takeReads(): string[];
  types: ValueTypes;
  victims: readonly Victim[];
  watch: Pick<RowWatch, 'findChanges'>;
};

/**
 * Calls a route with each value of the victims, alone and together. The answer must equal the answer for an unknown value, show
 * no data of the victim, and change none of its rows. The caller's own call succeeds afterwards, so no call was refused
 * for another reason. Returns the problems.
 */
export async function probeRoute(probe: Probe): Promise<string[]> {
  const { takeReads, types, victims } = probe;
  const caller = createCaller(probe);
  const { call } = await caller.scene();
  const path = Object.keys(call.params).map((name) => `params.${name}`);
  const pathFields = listFields(call, path, types);
  for (const field of pathFields) {
    // One victim is enough: an ID in a path is not a position in a list.
    const { twin } = await caller.scene();
    const victimsToTry = victims.filter((victim) => foreignValues(field, twin, victim).length > 0);
    await tryFields(caller, [field], victimsToTry.slice(0, 1));
  }
  takeReads();
  await caller.sendOwn((own) => own);
  const readFields = listFields(call, takeReads(), types);
  for (const field of readFields) {
    await tryOwnValues(caller, field);
    await tryFields(caller, [field], victims);
  }
  await tryFields(caller, [...pathFields, ...readFields], victims);
  const changes =
    call.method === 'get' ? [] : await probe.watch.findChanges(caller.requestedValues);
  return [...caller.problems, ...changes.map((change) => `${formatRoute(call)}: ${change}`)];
}

/**
 * Makes read-only calls before and after another account with the same natural keys is created, and compares the answers:
 * counts and sums must also be the caller's alone. Returns the calls whose answers differ.
 */
export async function probeReads(
  scenes: readonly Scene[],
  createOther: () => Promise<unknown>,
): Promise<string[]> {
  const read = async ({ call, send }: Scene) =>
    `${describe(call)}: ${normalise(await send(call), [])}`;
  const before: string[] = [];
  for (const scene of scenes) before.push(await read(scene));
  await createOther();
  const problems: string[] = [];
  for (const [index, scene] of scenes.entries()) {
    const after = await read(scene);
    if (after !== before[index]) problems.push(`${after}, but before ${before[index]}`);
  }
  return problems;
}

type Caller = ReturnType<typeof createCaller>;
type Change = (call: RouteCall) => RouteCall;

function createCaller({ open, victims }: Probe) {
  const problems: string[] = [];
  const requestedValues = new Set<string>();
  let unused: Scene | undefined;

  async function scene(): Promise<Scene> {
    unused ??= await open();
    return unused;
  }

  /** From a scene in which no call has changed anything yet. */
  async function send(change: Change): Promise<Answer & { call: RouteCall }> {
    const { call, hasEffect, send: sendCall } = await scene();
    const changed = change(call);
    const answer = await sendCall(changed);
    if (hasEffect && answer.status < 400) unused = undefined;
    // The refusal does not depend on the values.
    const isRefused = answer.status === 429 || answer.status >= 500;
    if (isRefused) problems.push(`${describe(changed)}: ${answer.status} ${answer.text}`);
    const leaked = victims.flatMap(({ rows }) => rows.findIn(answer.text, requestedValues));
    if (leaked.length > 0) problems.push(`${describe(changed)} shows ${leaked.join(', ')}`);
    return { ...answer, call: changed };
  }

  return {
    problems,
    requestedValues,
    scene,
    send,

    async sendOwn(change: Change): Promise<void> {
      const { status, text, call } = await send(change);
      if (status < 200 || status > 299) problems.push(`${describe(call)}: ${status} ${text}`);
    },
  };
}

/** Each value of a victim that the caller does not have itself; for several fields, also the first value of all at once. */
async function tryFields(
  caller: Caller,
  fields: readonly Field[],
  victims: readonly Victim[],
): Promise<void> {
  const { twin } = await caller.scene();
  for (const victim of victims) {
    const foreign = fields.map((field) => [field, foreignValues(field, twin, victim)] as const);
    const fieldsToTry = foreign.filter(([, values]) => values.length > 0);
    const [first, ...more] = fieldsToTry;
    if (!first) continue;
    const rounds =
      more.length > 0
        ? [fieldsToTry.map(([, [value = '']]) => value)]
        : first[1].map((value) => [value]);
    for (const values of rounds) {
      await compare(
        caller,
        fieldsToTry.map(([field]) => field),
        values,
      );
    }
  }
}

function foreignValues(field: Field, own: Twin, victim: Victim): string[] {
  const { twin, params = {}, isSameAccount } = victim;
  const keys = field.keys.filter((key) => !isSameAccount || !accountKeys.has(key));
  if (keys.length === 0) return [];
  const paramValue = params[field.place.replace('params.', '')];
  const values = [
    ...(paramValue === undefined ? [] : [paramValue]),
    ...getValues({ ...field, keys }, twin),
  ];
  const ownValues = getValues(field, own);
  return [...new Set(values)].filter((value) => !ownValues.includes(value));
}

async function compare(
  { requestedValues, problems, send }: Caller,
  fields: readonly Field[],
  values: readonly string[],
): Promise<void> {
  for (const value of values) requestedValues.add(value);
  const unknownValues = values.map(createSimilar);
  const foreign = await send((call) => withValues(call, fields, values));
  const unknown = await send((call) => withValues(call, fields, unknownValues));
  const [actual, expected] = [normalise(foreign, values), normalise(unknown, unknownValues)];
  if (actual === expected) return;
  const what = describe(foreign.call);
  problems.push(
    `${what}: ${actual}, but with ${unknownValues.join(', ')}, which do not exist: ${expected}`,
  );
}

/** The caller's own values: they must find its own page. A body may be refused because its own rows already have them. */
async function tryOwnValues(caller: Caller, field: Field): Promise<void> {
  const { twin } = await caller.scene();
  const send = field.place.startsWith('query.') ? caller.sendOwn : caller.send;
  for (const value of getValues(field, twin)) await send((call) => withValue(call, field, value));
}

function withValues(call: RouteCall, fields: readonly Field[], values: readonly string[]) {
  return fields.reduce(
    (changed, field, index) => withValue(changed, field, values[index] ?? ''),
    call,
  );
}

function formatRoute({ method, path }: RouteCall): string {
  return `${method.toUpperCase()} ${path}`;
}

function describe(call: RouteCall): string {
  const { params, query, body } = call;
  return `${formatRoute(call)} with ${JSON.stringify({ params, query, body })}`;
}

/** Without the requested values, and without values that each call generates or measures. */
function normalise({ status, text }: Answer, requestedValues: readonly string[]): string {
  const body = requestedValues.reduce(
    (remainingText, value) => remainingText.replaceAll(value, '<requested>'),
    text,
  );
  const plain = body
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{64}\b/g, '<id>')
    .replace(/"token":"[^"]*"/g, '"token":"<token>"')
    .replace(/\b\d{13}\b/g, '<time>')
    .replace(/(ms\\?":)[\d.]+/gi, '$1<ms>')
    // The sandbox's `next` depends on everything that the database has committed.
    .replace(/\b\d+:\d+:[\d,]*/g, '<snapshot>')
    // That of the replaced values; the body itself is compared.
    .replace(/("content-length":)"\d+"/g, '$1"<bytes>"')
    // They depend on the clock.
    .replace(/"rates":\[([\d,.]*)\]/g, (_, rates: string) => `"rates":${rates.split(',').sort()}`)
    .replace(
      /"points":\[\{(.*?)\}\]/g,
      (_, points: string) => `"points":${points.split('},{').sort()}`,
    );
  return `${status} ${plain}`;
}
