import { type CountingProxy, createCountingProxy } from './counting-proxy';

/** A proxy in front of Redis that reads every command of clients. It does not see commands inside scripts. */
export type CommandCounter = CountingProxy & {
  /** The commands during `work` by name, in capitals, and the number of writes to the socket. */
  during(work: () => Promise<unknown>): Promise<{ commands: string[]; writes: number }>;
};

export async function createCommandCounter(target: string): Promise<CommandCounter> {
  const commands: string[] = [];
  let writes = 0;
  const proxy = await createCountingProxy(target, () => {
    const read = createReader((command) => commands.push(command));
    return (piece) => {
      writes += 1;
      read(piece);
    };
  });
  return {
    ...proxy,
    async during(work) {
      const before = { commands: commands.length, writes };
      await work();
      return { commands: commands.slice(before.commands), writes: writes - before.writes };
    },
  };
}

const lineEnd = Buffer.from('\r\n');

/** Reads one connection's commands: `*` and the number of words, then each word as `$`, its length and its bytes. */
function createReader(onCommand: (name: string) => void): (piece: Buffer) => void {
  let unread: Buffer = Buffer.alloc(0);
  let wordsLeft = 0;
  let isName = false;

  /** The number of bytes parsed; undefined if more must arrive first. */
  function parseNext(): number | undefined {
    const end = unread.indexOf(lineEnd);
    if (end === -1) return undefined;
    const head = unread.toString('latin1', 0, end);
    const bodyAt = end + lineEnd.length;
    if (wordsLeft === 0) {
      wordsLeft = Number(head.slice(1));
      isName = true;
      return bodyAt;
    }
    const wordEnd = bodyAt + Number(head.slice(1));
    if (unread.length < wordEnd + lineEnd.length) return undefined;
    if (isName) onCommand(unread.toString('latin1', bodyAt, wordEnd).toUpperCase());
    isName = false;
    wordsLeft -= 1;
    return wordEnd + lineEnd.length;
  }

  return function read(piece) {
    unread = unread.length === 0 ? piece : Buffer.concat([unread, piece]);
    for (let usedBytes = parseNext(); usedBytes !== undefined; usedBytes = parseNext())
      unread = unread.subarray(usedBytes);
  };
}
