import { type CountingProxy, createCountingProxy } from './counting-proxy';

/** A proxy in front of PostgreSQL that reads every executed statement, including BEGIN and COMMIT. */
export type StatementCounter = CountingProxy & {
  /** The texts of the statements during `work`. */
  during(work: () => Promise<unknown>): Promise<string[]>;
};

export async function createStatementCounter(target: string): Promise<StatementCounter> {
  const statements: string[] = [];
  const proxy = await createCountingProxy(target, () =>
    createReader((statement) => statements.push(statement)),
  );
  return {
    ...proxy,
    async during(work) {
      const before = statements.length;
      await work();
      return statements.slice(before);
    },
  };
}

const lengthBytes = 4;

/** Reads one connection's messages: `Q` is a statement, and so is each `E` of one that `P` and `B` have prepared. */
function createReader(onStatement: (text: string) => void): (piece: Buffer) => void {
  let unread = Buffer.alloc(0);
  // The first message of a connection has no letter.
  let letterBytes = 0;
  const texts = new Map<string, string>();
  let bound = '';

  function take(letter: string, body: Buffer): void {
    const [first = '', second = ''] = body.toString('utf8').split('\0', 2);
    if (letter === 'Q') onStatement(first);
    if (letter === 'P') texts.set(first, second);
    if (letter === 'B') bound = second;
    if (letter === 'E') onStatement(texts.get(bound) ?? bound);
  }

  return function read(piece) {
    unread = Buffer.concat([unread, piece]);
    while (unread.length >= letterBytes + lengthBytes) {
      const end = letterBytes + unread.readInt32BE(letterBytes);
      if (unread.length < end) return;
      const letter = unread.toString('latin1', 0, letterBytes);
      take(letter, unread.subarray(letterBytes + lengthBytes, end));
      unread = unread.subarray(end);
      letterBytes = 1;
    }
  };
}
