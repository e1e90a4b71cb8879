import { countMatchSteps } from './match-steps';

type Sized = { length: number };
type Call = { receiver: Sized; result: unknown; args: readonly unknown[] };
type Cost = (call: Call) => number;

const wholeReceiver: Cost = ({ receiver }) => receiver.length;
const result: Cost = ({ result: output }) => (output as Sized).length;
/** V8 copies short slices only: a longer one is a view. */
const slice: Cost = ({ result: output }) => Math.min((output as Sized).length, 13);
const both: Cost = (call) => wholeReceiver(call) + result(call);
const argument: Cost = ({ args: [text] }) => String(text).length;
const fields: Cost = ({ receiver }) => Number(Reflect.get(receiver, 'size'));
const searched: Cost = ({ receiver, result: position, args: [, from = 0] }) =>
  (Number(position) < 0 ? receiver.length : Number(position)) - Number(from);
/** Built-in functions whose work grows with their input, and the number of steps to count. */
const watched: readonly [owner: object, costs: Record<string, Cost>][] = [
  [
    String.prototype,
    {
      endsWith: argument,
      includes: wholeReceiver,
      indexOf: searched,
      lastIndexOf: wholeReceiver,
      normalize: both,
      repeat: result,
      replace: both,
      replaceAll: both,
      slice,
      split: wholeReceiver,
      startsWith: argument,
      substring: slice,
      toLowerCase: wholeReceiver,
      toUpperCase: wholeReceiver,
      trim: wholeReceiver,
      trimEnd: wholeReceiver,
      trimStart: wholeReceiver,
    },
  ],
  [
    Array.prototype,
    {
      concat: result,
      flat: both,
      includes: wholeReceiver,
      indexOf: wholeReceiver,
      join: both,
      reverse: wholeReceiver,
      shift: wholeReceiver,
      slice: result,
      splice: wholeReceiver,
      unshift: wholeReceiver,
    },
  ],
  [Object, { entries: result, keys: result, values: result }],
  [JSON, { parse: argument, stringify: ({ result: text }) => String(text).length }],
  [URLSearchParams.prototype, { get: fields, getAll: fields, has: fields }],
  // Copying a list with ... takes one step per element.
  [Object.getPrototypeOf([].values()), { next: () => 1 }],
];

/** Counts the steps of built-in functions until they are restored. */
export function watchBuiltins(): { countSteps(): number; restore(): void } {
  const restorers: (() => void)[] = [];
  let steps = 0;
  let isOwnWork = false;

  function watch(owner: object, name: string, cost: Cost): void {
    const original: (...args: unknown[]) => unknown = Reflect.get(owner, name);
    restorers.push(() => Reflect.set(owner, name, original));
    Reflect.set(owner, name, function watchedBuiltin(this: Sized, ...args: unknown[]) {
      const output = Reflect.apply(original, this, args);
      if (isOwnWork) return output;
      isOwnWork = true;
      steps += cost({ receiver: this, result: output, args });
      isOwnWork = false;
      return output;
    });
  }

  /** Called millions of times, also by `replace` and `split`: without a list of arguments it takes half the time. */
  function watchExec(): void {
    const { exec } = RegExp.prototype;
    restorers.push(() => Reflect.set(RegExp.prototype, 'exec', exec));
    RegExp.prototype.exec = function watchedExec(text) {
      if (isOwnWork) return exec.call(this, text);
      const from = this.global || this.sticky ? this.lastIndex : 0;
      const output = exec.call(this, text);
      isOwnWork = true;
      steps += countMatchSteps(this, String(text), from);
      isOwnWork = false;
      return output;
    };
  }

  watchExec();
  for (const [owner, costs] of watched) {
    for (const name of Object.keys(costs)) watch(owner, name, costs[name] ?? (() => 0));
  }
  return {
    countSteps: () => steps,
    restore() {
      for (const restore of restorers) restore();
    },
  };
}
