import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

type Verb = 'EHLO' | 'MAIL' | 'RCPT' | 'DATA' | 'RSET' | 'QUIT' | 'end';

/**
 * The server's behaviour at a command, instead of its usual reply. `end` is the dot that ends a
 * mail.
 */
export type RawStep = { reply: string } | { slowMs: number } | { hang: true } | { drop: true };

type AnyStep = { reply?: string; slowMs?: number; hang?: true; drop?: true };

export type RawSmtpServer = {
  port: number;
  /** The Message-IDs of the mails whose final dot arrived. */
  mails: string[];
  /**
   * The highest number of connections open at once. A connection counts until each side has closed
   * its half.
   */
  mostOpen(): number;
  opened(): number;
  /** The next commands with this name get these replies, in order. */
  script(verb: Verb, ...steps: RawStep[]): void;
  close(): Promise<void>;
};

const usual: Record<Verb, string> = {
  EHLO: '250-raw\r\n250 SMTPUTF8',
  MAIL: '250 OK',
  RCPT: '250 OK',
  DATA: '354 Go on',
  RSET: '250 OK',
  QUIT: '221 Bye',
  end: '250 Taken',
};

/** A scriptable mail server. Unlike the simulator, it also allows faults at RSET and QUIT. */
export async function createRawSmtpServer(): Promise<RawSmtpServer> {
  const steps = new Map<Verb, RawStep[]>();
  const sockets = new Set<Socket>();
  const mails: string[] = [];
  let opened = 0;
  let mostOpen = 0;

  async function answer(socket: Socket, verb: Verb): Promise<void> {
    const step: AnyStep = steps.get(verb)?.shift() ?? {};
    if (step.hang) return;
    if (step.drop) socket.destroy();
    const { slowMs = 0, reply = usual[verb] } = step;
    await sleep(slowMs);
    socket.write(`${reply}\r\n`);
    if (verb === 'QUIT') socket.end();
  }

  const server = createServer((socket) => {
    opened += 1;
    sockets.add(socket);
    mostOpen = Math.max(mostOpen, sockets.size);
    socket.on('end', () => sockets.delete(socket));
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    socket.write('220 raw\r\n');
    readCommands(socket, (verb, mail) => {
      if (verb === 'end') mails.push(/^Message-ID: (.*)\r$/im.exec(mail)?.[1] ?? '');
      void answer(socket, verb);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('No port');
  return {
    port: address.port,
    mails,
    mostOpen: () => mostOpen,
    opened: () => opened,
    script: (verb, ...more) => steps.set(verb, [...(steps.get(verb) ?? []), ...more]),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function readCommands(socket: Socket, act: (verb: Verb, mail: string) => void): void {
  let text = '';
  let isData = false;

  /** A command, or a mail up to its final dot. Undefined while incomplete. */
  function takePart(): string | undefined {
    const ending = isData ? '\r\n.\r\n' : '\r\n';
    const at = text.indexOf(ending);
    if (at < 0) return undefined;
    const part = text.slice(0, at + 2);
    text = text.slice(at + ending.length);
    return part;
  }

  socket.on('data', (bytes: Buffer) => {
    text += bytes.toString('latin1');
    for (let part = takePart(); part !== undefined; part = takePart()) {
      const verb = isData ? 'end' : (part.slice(0, 4).toUpperCase() as Verb);
      isData = verb === 'DATA';
      act(verb, part);
    }
  });
}
