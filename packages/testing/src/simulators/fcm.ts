import { generateKeyPairSync, hash } from 'node:crypto';
import { type FcmProblem, type ReadFcmMessage, readFcmMessage } from './fcm-rules';
import { changeTopic, isTopicCall, type Topics } from './fcm-topics';
import { findTokenProblem } from './google-token-rules';
import {
  createHttpSimulator,
  type HttpFault,
  type HttpReply,
  type HttpRequest,
  type HttpSimulator,
} from './http-simulator';
import { toRecord } from './read-object';
import { hasType, jsonType } from './rules';

/** A message that FCM accepted. FCM has no idempotency key. */
export type FcmSend = {
  name: string;
  projectId: string;
  /** The target. */
  token?: string;
  topic?: string;
  /** The whole message as received. */
  message: Record<string, unknown>;
  /** The value that the app receives as `raven_notification_id`. */
  messageId?: string;
  /** SHA-256 of the access token in hexadecimal, to identify it without storing it. */
  accessTokenHash: string;
};

/**
 * `errorCode` is one of FCM's own. Without it the answer has only a Google status, as for a missing
 * project. `details` are added to it.
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
  /** The token endpoint refuses. */
  | { on?: string; tokenError: string; description?: string; http?: number };

/** A problem of every call from now on, until it is cleared. */
export type FcmTrouble = 'no such project' | 'API disabled' | 'account expired';

export type FcmSimulator = Omit<HttpSimulator<FcmSend>, 'fail'> & {
  /** The base URL of API and token endpoint: the value for FCM_API_URL. */
  url: string;
  fail(...faults: FcmFault[]): void;
  /** Unregisters this token, as when the app was removed from the device. */
  unregister(token: string): void;
  /** The tokens that are subscribed to each topic. */
  topics: Topics;
  /** Undefined clears the problem. */
  setTrouble(trouble: FcmTrouble | undefined): void;
  /** The number of access tokens issued. */
  countTokens(): number;
};

export type FcmSimulatorOptions = {
  /** The value of every access token. */
  accessToken?: string;
};

export const fcmSendPath = 'messages:send';

/** FCM's HTTP v1 API with Google's token endpoint, limited to sending and topics. */
export async function createFcmSimulator({
  accessToken = 'ya29.simulated',
}: FcmSimulatorOptions = {}): Promise<FcmSimulator> {
  const unregistered = new Set<string>();
  const topics: Topics = new Map();
  let trouble: FcmTrouble | undefined;
  let tokenCount = 0;
  let messageCount = 0;

  function issueToken(request: HttpRequest): HttpReply {
    if (trouble === 'account expired') return tokenRefusal('invalid_grant', accountGone);
    const problem = findTokenProblem(request, simulatedKey);
    if (problem) return tokenRefusal(problem.error, problem.description);
    tokenCount += 1;
    return {
      body: { access_token: accessToken, expires_in: 3_599, token_type: 'Bearer' },
    };
  }

  function send(request: HttpRequest, projectId: string): { reply: HttpReply; send?: FcmSend } {
    const bearer = readBearer(request);
    const read = readMessage(request);
    const rejection = findRefusal(bearer, read);
    if (rejection || 'problem' in read) return { reply: refusal(rejection ?? unauthenticated) };
    if (!read.isCheckOnly) messageCount += 1;
    return acceptMessage(read, { projectId, bearer, id: messageCount });
  }

  function manageTopic(request: HttpRequest): HttpReply {
    const isKnown = tokenCount > 0 && readBearer(request) === accessToken;
    if (!isKnown) return refusal(unauthenticated);
    return changeTopic(request, { topics, unregistered });
  }

  function findRefusal(bearer: string, read: ReadMessage): Refusal | undefined {
    if (bearer !== accessToken || tokenCount === 0) return unauthenticated;
    const troubleRefusal = trouble && refusals[trouble];
    if (troubleRefusal) return troubleRefusal;
    if ('problem' in read) return read.problem;
    return unregistered.has(String(read.message['token'])) ? tokenUnregistered : undefined;
  }

  const simulator = await createHttpSimulator<FcmSend>({
    handle(request) {
      if (request.method !== 'POST') return { reply: notFound };
      if (request.path === '/token') return { reply: issueToken(request) };
      if (isTopicCall(request)) return { reply: manageTopic(request) };
      const projectId = sendPath.exec(request.path)?.[1];
      return projectId ? send(request, projectId) : { reply: notFound };
    },
  });
  return {
    ...simulator,
    fail: (...faults) => simulator.fail(...faults.map(toHttpFault)),
    unregister: (token) => unregistered.add(token),
    topics,
    setTrouble(next) {
      trouble = next;
    },
    countTokens: () => tokenCount,
  };
}

function acceptMessage(
  { message, isCheckOnly }: Extract<ReadMessage, { message: object }>,
  { projectId, bearer, id }: { projectId: string; bearer: string; id: number },
): { reply: HttpReply; send?: FcmSend } {
  const name = `projects/${projectId}/messages/${isCheckOnly ? 'fake_message_id' : id}`;
  const reply = { body: { name } };
  return isCheckOnly
    ? { reply }
    : { reply, send: createSend(message, { name, projectId, bearer }) };
}

const sendPath = /^\/v1\/projects\/([\w-]+)\/messages:send$/;
const notFound: HttpReply = { status: 404, body: '<html>' };

function readBearer({ headers }: HttpRequest): string {
  return /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
}

let simulatedKey: string | undefined;

/** The key file of a service account of the simulator. It is created once per process, as creating a key is slow. */
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

const accountGone = 'Invalid grant: account not found';

function tokenRefusal(error: string, description = '', status = 400): HttpReply {
  return { status, body: { error, error_description: description } };
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
const tokenUnregistered: Refusal = {
  http: 404,
  status: 'NOT_FOUND',
  errorCode: 'UNREGISTERED',
  message: 'Requested entity was not found.',
};

type ReadMessage = Exclude<ReadFcmMessage, { problem: FcmProblem }> | { problem: Refusal };

function readMessage({ headers, body }: HttpRequest): ReadMessage {
  if (!hasType(headers, jsonType)) return { problem: describeProblem(wrongType) };
  const read = readFcmMessage(body);
  return 'problem' in read ? { problem: describeProblem(read.problem) } : read;
}

const wrongType: FcmProblem = { text: 'Invalid content type.', isOfGoogle: true };

function describeProblem({ text: message, isOfGoogle }: FcmProblem): Refusal {
  const status = 'INVALID_ARGUMENT';
  return { http: 400, status, message, ...(isOfGoogle ? {} : { errorCode: status }) };
}

function createSend(
  message: Record<string, unknown>,
  { name, projectId, bearer }: { name: string; projectId: string; bearer: string },
): FcmSend {
  const { token, topic, data } = message;
  const messageId = toRecord(data)?.['raven_notification_id'];
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
