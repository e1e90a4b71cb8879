import net, { type AddressInfo } from 'node:net';

/** A proxy in front of PostgreSQL that reads every executed statement, including BEGIN and COMMIT. */
export type StatementCounter = {
  /** The URL to connect to instead. */
  readonly url: string;
  /** The texts of the statements during `work`. */
  during(work: () => Promise<unknown>): Promise<string[]>;
  close(): Promise<void>;
};

export async function createStatementCounter(target: string): Promise<StatementCounter> {
  const { hostname, port } = new URL(target);
  const statements: string[] = [];
  const server = net.createServer((client) => {
    const store = net.connect(Number(port), hostname);
    const read = createReader((statement) => statements.push(statement));
    client.on('data', read);
    client.pipe(store).pipe(client);
    client.on('error', () => store.destroy());
    store.on('error', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(target);
  // The address of a server that listens on a port has a port.
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    async during(work) {
      const before = statements.length;
      await work();
      return statements.slice(before);
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
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
