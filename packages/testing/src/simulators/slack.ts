import { hash } from 'node:crypto';
import {
  createHttpSimulator,
  type HttpFault,
  type HttpReply,
  type HttpRequest,
  type HttpSimulator,
} from './http-simulator';
import { createSlackOAuth, type SimulatedSlackApp } from './slack-oauth';

/** A message that Slack posted. */
export type SlackSend = {
  channel: string;
  ts: string;
  text: string;
  blocks?: unknown;
  /** Everything that was given, by name. */
  argumentNames: string[];
  /** SHA-256 of the token in hexadecimal: which token it was, without keeping it. */
  tokenHash: string;
  /** The message's id, which the sender put into the metadata. */
  messageId?: string;
};

/** `error` is a code of Slack, in an answer with status 200; `with` are members beside it. */
export type SlackFault = HttpFault | { on?: string; error: string; with?: Record<string, unknown> };

export type SlackSimulator = Omit<HttpSimulator<SlackSend>, 'fail'> & {
  /** Where the API is: what SLACK_API_URL is to be. */
  url: string;
  fail(...faults: SlackFault[]): void;
};

export type SlackSimulatorOptions = {
  /** An app that may be added to the simulated workspace. */
  app?: SimulatedSlackApp;
};

/** Slack's Web API, as far as sending needs it, and the installation of an app. */
export async function createSlackSimulator({
  app,
}: SlackSimulatorOptions = {}): Promise<SlackSimulator> {
  let posted = 0;
  const oauth = createSlackOAuth(app);
  const simulator = await createHttpSimulator<SlackSend>({
    handle(request) {
      const installed = oauth(request);
      if (installed) return { reply: installed };
      const call = readCall(request);
      const answer = methods[call.method];
      if (!answer) return { reply: refusal('unknown_method') };
      if (!/^xox/.test(call.token))
        return { reply: refusal(call.token ? 'invalid_auth' : 'not_authed') };
      posted += 1;
      return answer(call, posted);
    },
  });
  return {
    ...simulator,
    url: `${simulator.url}/api/`,
    fail: (...faults) => simulator.fail(...faults.map(toHttpFault)),
  };
}

type SlackCall = { method: string; args: URLSearchParams; token: string };
type Answer = (call: SlackCall, count: number) => { reply: HttpReply; send?: SlackSend };

const methods: Record<string, Answer | undefined> = {
  'auth.test': () => ({
    reply: {
      body: {
        ok: true,
        team: 'Simulated team',
        user: 'belfry',
        team_id: 'T0SIMULATED',
        bot_id: 'B0SIMULATED',
        user_id: 'U0SIMULATED',
      },
    },
  }),

  'users.lookupByEmail': ({ args }) => ({
    reply: { body: { ok: true, user: { id: idOf('U', args.get('email') ?? '') } } },
  }),

  'conversations.open': ({ args }) => ({
    reply: { body: { ok: true, channel: { id: idOf('D', args.get('users') ?? '') } } },
  }),

  'chat.postMessage': ({ args, token }, count) => {
    const channel = args.get('channel') ?? '';
    const text = args.get('text') ?? '';
    if (!channel) return { reply: refusal('channel_not_found') };
    if (!text && !args.get('blocks')) return { reply: refusal('no_text') };
    const ts = `1700000000.${String(count).padStart(6, '0')}`;
    return {
      reply: { body: { ok: true, channel, ts, message: { type: 'message', text } } },
      send: {
        channel,
        ts,
        text,
        ...blocksOf(args),
        argumentNames: [...args.keys()],
        tokenHash: hash('sha256', token, 'hex'),
        ...messageIdOf(args),
      },
    };
  },
};

function readCall({ path, headers, body }: HttpRequest): SlackCall {
  return {
    method: path.split('?')[0]?.split('/').at(-1) ?? '',
    args: new URLSearchParams(body.toString('utf8')),
    token: headers.authorization?.replace(/^Bearer /, '') ?? '',
  };
}

function refusal(error: string, beside: Record<string, unknown> = {}): HttpReply {
  return { body: { ok: false, error, ...beside } };
}

function toHttpFault(fault: SlackFault): HttpFault {
  if (!('error' in fault)) return fault;
  const { on, error } = fault;
  return { ...(on ? { on } : {}), reply: refusal(error, fault.with) };
}

/** The same person has the same id in every call. */
function idOf(prefix: string, name: string): string {
  return prefix + hash('sha256', name, 'hex').slice(0, 10).toUpperCase();
}

function blocksOf(args: URLSearchParams): { blocks?: unknown } {
  const blocks = args.get('blocks');
  return blocks ? { blocks: JSON.parse(blocks) } : {};
}

function messageIdOf(args: URLSearchParams): { messageId?: string } {
  const metadata: unknown = JSON.parse(args.get('metadata') ?? 'null');
  const found = /"message_id":"([^"]+)"/.exec(JSON.stringify(metadata))?.[1];
  return found ? { messageId: found } : {};
}
