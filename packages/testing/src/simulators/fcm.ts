import { generateKeyPairSync, hash } from 'node:crypto';
import {
  createHttpSimulator,
  type HttpFault,
  type HttpReply,
  type HttpRequest,
  type HttpSimulator,
} from './http-simulator';
import { membersOf, parseObject } from './read-object';

/** A message that FCM took. It knows no key by which a second one would be told from the first. */
export type FcmSend = {
  name: string;
  projectId: string;
  /** One of them. */
  token?: string;
  topic?: string;
  /** The whole message as it came. */
  message: Record<string, unknown>;
  /** What the app gets as `raven_notification_id`. */
  messageId?: string;
  /** SHA-256 of the access token in hexadecimal: which one it was, without keeping it. */
  accessTokenHash: string;
};

/**
 * `errorCode` is one of FCM's own; without it the answer has a status of Google alone, as for a project that is not
 * there. `details` are put beside it.
 */
export type FcmFault =
  | HttpFault
  | {
      on?: string;
      http: number;
      status: string;
      errorCode?: string;
      message?: string;
      details?: object[];
      headers?: Record<string, string>;
    }
  /** The token endpoint says no. */
  | { on?: string; tokenError: string; description?: string; http?: number };

/** What is wrong for every call from now on, as long as nobody repairs it. */
export type FcmTrouble = 'no such project' | 'API disabled' | 'account expired';

export type FcmSimulator = Omit<HttpSimulator<FcmSend>, 'fail'> & {
  /** Where API and token endpoint are: what FCM_API_URL is to be. */
  url: string;
  fail(...faults: FcmFault[]): void;
  /** The app was removed from the device of this token. */
  unregister(token: string): void;
  /** Undefined is that all is well again. */
  setTrouble(trouble: FcmTrouble | undefined): void;
  /** How many access tokens were given out. */
  countTokens(): number;
};

export type FcmSimulatorOptions = {
  /** What every access token is. */
  accessToken?: string;
};

export const fcmSendPath = 'messages:send';

/** FCM's HTTP v1 API with Google's token endpoint, as far as sending needs them. */
export async function createFcmSimulator({
  accessToken = 'ya29.simulated',
}: FcmSimulatorOptions = {}): Promise<FcmSimulator> {
  const unregistered = new Set<string>();
  let trouble: FcmTrouble | undefined;
  let given = 0;
  let taken = 0;

  function giveToken({ body }: HttpRequest): HttpReply {
    const fields = new URLSearchParams(body.toString('utf8'));
    if (trouble === 'account expired') return tokenRefusal('invalid_grant', accountGone);
    if (fields.get('grant_type') !== jwtGrant) return tokenRefusal('unsupported_grant_type');
    if (!isAssertion(fields.get('assertion'))) return tokenRefusal('invalid_grant', 'Bad JWT');
    given += 1;
    return {
      body: { access_token: accessToken, expires_in: 3_599, token_type: 'Bearer' },
    };
  }

  function send(request: HttpRequest, projectId: string): { reply: HttpReply; send?: FcmSend } {
    const bearer = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const read = readMessage(request.body);
    const refused = findRefusal(bearer, read);
    if (refused || 'refused' in read) return { reply: refusal(refused ?? unauthenticated) };
    return take(read, { projectId, bearer });
  }

  function findRefusal(bearer: string, read: ReadMessage): Refusal | undefined {
    if (bearer !== accessToken || given === 0) return unauthenticated;
    const known = trouble && refusals[trouble];
    if (known) return known;
    if ('refused' in read) return read.refused;
    return unregistered.has(String(read.message['token'])) ? gone : undefined;
  }

  function take(
    { message, isCheckOnly }: Extract<ReadMessage, { message: object }>,
    { projectId, bearer }: { projectId: string; bearer: string },
  ): { reply: HttpReply; send?: FcmSend } {
    if (!isCheckOnly) taken += 1;
    const name = `projects/${projectId}/messages/${isCheckOnly ? 'fake_message_id' : taken}`;
    const reply = { body: { name } };
    return isCheckOnly ? { reply } : { reply, send: sendOf(message, { name, projectId, bearer }) };
  }

  const simulator = await createHttpSimulator<FcmSend>({
    handle(request) {
      if (request.method === 'POST' && request.path === '/token') {
        return { reply: giveToken(request) };
      }
      const [, projectId] = /^\/v1\/projects\/([\w-]+)\/messages:send$/.exec(request.path) ?? [];
      if (request.method !== 'POST' || !projectId)
        return { reply: { status: 404, body: '<html>' } };
      return send(request, projectId);
    },
  });
  return {
    ...simulator,
    fail: (...faults) => simulator.fail(...faults.map(toHttpFault)),
    unregister: (token) => unregistered.add(token),
    setTrouble(next) {
      trouble = next;
    },
    countTokens: () => given,
  };
}

let simulatedKey: string | undefined;

/** The key file of a service account that the simulator knows; made once a process, as a real key takes long. */
export function simulatedServiceAccount(projectId = 'simulated-project'): string {
  simulatedKey ??= generateKeyPairSync('rsa', { modulusLength: 2_048 })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString();
  return JSON.stringify({
    type: 'service_account',
    project_id: projectId,
    private_key_id: 'simulated',
    private_key: simulatedKey,
    client_email: `sender@${projectId}.iam.gserviceaccount.com`,
    token_uri: 'https://oauth2.googleapis.com/token',
  });
}

const jwtGrant = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const accountGone = 'Invalid grant: account not found';

function tokenRefusal(error: string, description = '', status = 400): HttpReply {
  return { status, body: { error, error_description: description } };
}

/** A JWT of an account that asks for the scope of messages. */
function isAssertion(assertion: string | null): boolean {
  const [, claims = '', signature = ''] = (assertion ?? '').split('.');
  const read = parseObject(Buffer.from(claims, 'base64url'));
  const scope = read?.['scope'];
  return signature !== '' && typeof scope === 'string' && scope.includes('firebase.messaging');
}

type Refusal = Exclude<FcmFault, HttpFault | { tokenError: string }>;

const unauthenticated: Refusal = {
  http: 401,
  status: 'UNAUTHENTICATED',
  message: 'Request had invalid authentication credentials.',
};
const noSuchProject: Refusal = {
  http: 404,
  status: 'NOT_FOUND',
  message: 'Requested entity was not found.',
};
const apiDisabled: Refusal = {
  http: 403,
  status: 'PERMISSION_DENIED',
  message:
    'Firebase Cloud Messaging API has not been used in the project before or it is disabled.',
  details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'SERVICE_DISABLED' }],
};
const refusals: Partial<Record<FcmTrouble, Refusal>> = {
  'no such project': noSuchProject,
  'API disabled': apiDisabled,
};
const gone: Refusal = {
  http: 404,
  status: 'NOT_FOUND',
  errorCode: 'UNREGISTERED',
  message: 'Requested entity was not found.',
};

function invalidArgument(message: string): Refusal {
  return { http: 400, status: 'INVALID_ARGUMENT', errorCode: 'INVALID_ARGUMENT', message };
}

const maxPayloadBytes = 4_096;

type ReadMessage =
  | { message: Record<string, unknown>; isCheckOnly: boolean }
  | { refused: Refusal };

function readMessage(body: Buffer): ReadMessage {
  const { message: given, validate_only: isCheckOnly } = parseObject(body) ?? {};
  const message = membersOf(given);
  if (!message) return { refused: invalidArgument('Invalid JSON payload received.') };
  const { token, topic, notification = {}, data = {} } = message;
  if ((token === undefined) === (topic === undefined)) {
    return { refused: invalidArgument('Recipient of the message is not set.') };
  }
  if (token !== undefined && !/^[\w:-]+$/.test(String(token))) {
    return {
      refused: invalidArgument('The registration token is not a valid FCM registration token'),
    };
  }
  const values = Object.entries({ ...membersOf(data) });
  if (
    values.some(([key, value]) => typeof value !== 'string' || /^(from|google\.|gcm\.)/.test(key))
  ) {
    return { refused: invalidArgument('Invalid data payload.') };
  }
  const bytes = [...Object.entries({ ...membersOf(notification) }), ...values].reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(String(value)),
    0,
  );
  if (bytes > maxPayloadBytes) return { refused: invalidArgument('Android message is too big') };
  return { message, isCheckOnly: isCheckOnly === true };
}

function sendOf(
  message: Record<string, unknown>,
  { name, projectId, bearer }: { name: string; projectId: string; bearer: string },
): FcmSend {
  const { token, topic, data } = message;
  const messageId = membersOf(data)?.['raven_notification_id'];
  return {
    name,
    projectId,
    ...(typeof token === 'string' ? { token } : {}),
    ...(typeof topic === 'string' ? { topic } : {}),
    message,
    ...(typeof messageId === 'string' ? { messageId } : {}),
    accessTokenHash: hash('sha256', bearer, 'hex'),
  };
}

function refusal({ http, status, errorCode, message, details, headers }: Refusal): HttpReply {
  const own = errorCode
    ? [{ '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode }]
    : [];
  const all = [...own, ...(details ?? [])];
  const error = {
    code: http,
    message: message ?? 'Simulated',
    status,
    ...(all.length > 0 ? { details: all } : {}),
  };
  return { status: http, ...(headers ? { headers } : {}), body: { error } };
}

function toHttpFault(fault: FcmFault): HttpFault {
  if ('tokenError' in fault) {
    const { on = '/token', tokenError, description, http } = fault;
    return { on, reply: tokenRefusal(tokenError, description, http) };
  }
  if (!('http' in fault)) return fault;
  return { on: fault.on ?? fcmSendPath, reply: refusal(fault) };
}
