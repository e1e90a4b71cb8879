import { hash } from 'node:crypto';
import {
  createHttpSimulator,
  type HttpFault,
  type HttpReply,
  type HttpRequest,
  type HttpSimulator,
} from './http-simulator';
import { formType, hasType } from './rules';
import { createSlackOAuth, type SimulatedSlackApp } from './slack-oauth';
import { findPostProblem } from './slack-rules';

/** A message that Slack posted. */
export type SlackSend = {
  channel: string;
  ts: string;
  text: string;
  blocks?: unknown;
  /** All arguments by name. */
  argumentNames: string[];
  /** SHA-256 of the token in hexadecimal, to identify it without storing it. */
  tokenHash: string;
  /** The message's ID, which the sender put into the metadata. */
  messageId?: string;
};

/** `error` is a code of Slack's, with status 200; `with` are further members. */
export type SlackFault = HttpFault | { on?: string; error: string; with?: Record<string, unknown> };

export type SlackSimulator = Omit<HttpSimulator<SlackSend>, 'fail'> & {
  /** The base URL of the API: the value for SLACK_API_URL. */
  url: string;
  fail(...faults: SlackFault[]): void;
};

export type SlackSimulatorOptions = {
  /** An app that can be installed in the simulated workspace. */
  app?: SimulatedSlackApp;
};

/** Slack's Web API, limited to sending and to installing an app. */
export async function createSlackSimulator({
  app,
}: SlackSimulatorOptions = {}): Promise<SlackSimulator> {
  let posted = 0;
  const oauth = createSlackOAuth(app);
  const simulator = await createHttpSimulator<SlackSend>({
    handle(request) {
      const installed = oauth(request);
      return installed ? { reply: installed } : answer(readCall(request));
    },
  });

  function answer(call: SlackCall): ReturnType<Answer> {
    const method = methods[call.method];
    const problem = method ? findAuthError(call) : 'unknown_method';
    if (!method || problem) return { reply: refusal(problem ?? '') };
    posted += 1;
    return method(call, posted);
  }

  return {
    ...simulator,
    url: `${simulator.url}/api/`,
    fail: (...faults) => simulator.fail(...faults.map(toHttpFault)),
  };
}

type SlackCall = { method: string; args: URLSearchParams; token: string; isForm: boolean };

/** A token of a bot or a user, also one that rotates (docs.slack.dev/authentication/tokens). */
const tokenForm = /^(xoxe\.)?xox[bp]-[A-Za-z0-9-]{10,}$/;
function findAuthError({ isForm, token }: SlackCall): string | undefined {
  if (!isForm) return 'invalid_post_type';
  if (token === '') return 'not_authed';
  return tokenForm.test(token) ? undefined : 'invalid_auth';
}

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

  'users.lookupByEmail': ({ args }) => {
    const email = args.get('email') ?? '';
    if (!/^[^\s@]+@[^\s@]+$/.test(email)) return { reply: refusal('users_not_found') };
    return { reply: { body: { ok: true, user: { id: createId('U', email) } } } };
  },

  'conversations.open': ({ args }) => {
    const users = args.get('users') ?? '';
    if (!/^[UW][A-Z0-9]{8,}$/.test(users)) return { reply: refusal('user_not_found') };
    return { reply: { body: { ok: true, channel: { id: createId('D', users) } } } };
  },

  'chat.postMessage': ({ args, token }, count) => {
    const channel = args.get('channel') ?? '';
    const text = args.get('text') ?? '';
    const problem = findPostProblem(args);
    if (problem) return { reply: refusal(problem.error, describe(problem.message)) };
    const ts = `1700000000.${String(count).padStart(6, '0')}`;
    return {
      reply: { body: { ok: true, channel, ts, message: { type: 'message', text } } },
      send: {
        channel,
        ts,
        text,
        ...readBlocks(args),
        argumentNames: [...args.keys()],
        tokenHash: hash('sha256', token, 'hex'),
        ...readMessageId(args),
      },
    };
  },
};

function describe(message: string | undefined): Record<string, unknown> {
  return message === undefined
    ? {}
    : { errors: [message], response_metadata: { messages: [message] } };
}

function readCall({ method, path, headers, body }: HttpRequest): SlackCall {
  return {
    method: path.split('?')[0]?.split('/').at(-1) ?? '',
    args: new URLSearchParams(body.toString('utf8')),
    token: /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1] ?? '',
    isForm: method === 'POST' && hasType(headers, formType),
  };
}

function refusal(error: string, extraFields: Record<string, unknown> = {}): HttpReply {
  return { body: { ok: false, error, ...extraFields } };
}

function toHttpFault(fault: SlackFault): HttpFault {
  if (!('error' in fault)) return fault;
  const { on, error } = fault;
  return { ...(on ? { on } : {}), reply: refusal(error, fault.with) };
}

/** The same person has the same ID in every call. */
function createId(prefix: string, name: string): string {
  return prefix + hash('sha256', name, 'hex').slice(0, 10).toUpperCase();
}

function readBlocks(args: URLSearchParams): { blocks?: unknown } {
  const blocks = args.get('blocks');
  return blocks ? { blocks: JSON.parse(blocks) } : {};
}

function readMessageId(args: URLSearchParams): { messageId?: string } {
  const metadata: unknown = JSON.parse(args.get('metadata') ?? 'null');
  const id = /"message_id":"([^"]+)"/.exec(JSON.stringify(metadata))?.[1];
  return id ? { messageId: id } : {};
}
