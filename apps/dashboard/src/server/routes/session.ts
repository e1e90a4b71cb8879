import type { Access, OperatorRow } from '@belfry/database';
import { Type } from '@sinclair/typebox';
import type { Request, Response } from 'express';
import type {
  Connection,
  SessionAnswer,
  SessionListAnswer,
  SetUpLookAnswer,
} from '../../api/session';
import type { ConfirmPassword } from '../confirm-password';
import type { Connections } from '../connection';
import type { Devices } from '../devices';
import { minPasswordLength, type Passwords } from '../password';
import { invalid, notFound, Refusal } from '../problem';
import { emailSchema, passwordSchema, readBody } from '../read-body';
import { type RouteHandler, type Routes, sendJson } from '../route';
import { hashToken, type Session, type Sessions } from '../sessions';
import type { SignInLimits } from '../sign-in-limits';

export type SessionRoutesDeps = {
  access: Access;
  sessions: Sessions;
  passwords: Passwords;
  connections: Connections;
  confirmPassword: ConfirmPassword;
  limits: SignInLimits;
  devices: Devices;
  version: string;
  gatewayUrl: string;
};

const signInBody = Type.Object({
  accountId: Type.Optional(Type.String({ maxLength: 36 })),
  email: Type.String({ maxLength: 254 }),
  password: passwordSchema,
});
const token = Type.String({
  maxLength: 43,
  pattern: '^[A-Za-z0-9_-]{43}$',
  'x-problem': 'is not a valid link token',
});
const setUpBody = Type.Object({
  token,
  email: emailSchema,
  password: passwordSchema,
});
const passwordBody = Type.Object({ password: passwordSchema, newPassword: passwordSchema });

/** Sign-in, sign-out, one-time links, and the operator's own password and sessions. */
export function createSessionRoutes(deps: SessionRoutesDeps, routes: Routes) {
  const answers = createSessionAnswers(deps);
  return {
    ...createSignInRoutes(deps, answers),
    ...createLinkRoutes(deps, answers),
    ...createOwnRoutes(deps, routes),
  };
}

function createSignInRoutes(
  deps: SessionRoutesDeps,
  { beginSession, answerFor, signedOut }: SessionAnswers,
) {
  const { access, sessions, passwords, limits } = deps;

  const read: RouteHandler = async function readSession(req, res) {
    const session = await sessions.find(req);
    sendJson(res, session ? await answerFor(req, session) : await signedOut(req));
  };

  const signIn: RouteHandler = async function signIn(req, res) {
    const { email, password, accountId } = readBody(signInBody, req.body);
    const address = email.trim().toLowerCase();
    const attempt = limits.begin(req, address, await access.listOperators(address));
    const queue = attempt.isKnown ? 'known' : 'stranger';
    const matching = await passwords.findMatching(password, attempt.operators, queue);
    if (matching.length === 0) throw wrongCredentials();
    attempt.succeed(matching);
    await beginSession(req, res, chooseOperator(matching, accountId).id);
  };

  const signOut: RouteHandler = async function signOut(req, res) {
    await sessions.end(req, res);
    sendJson(res, { success: true });
  };

  return {
    read,
    signIn,
    signOut,
  };
}

/** If the same password matches in several accounts, the operator must choose one. */
function chooseOperator(matching: readonly OperatorRow[], accountId: string | undefined) {
  const candidates = matching.filter(
    (one) => accountId === undefined || one.accountId === accountId,
  );
  const [operator, ...others] = candidates;
  if (!operator) throw wrongCredentials();
  if (others.length === 0) return operator;
  throw new Refusal('choose_account', 'This address belongs to several accounts. Choose one.', {
    accounts: candidates.map((one) => ({ id: one.accountId, name: one.accountName })),
  });
}

function wrongCredentials(): Refusal {
  return new Refusal('wrong_credentials', 'The e-mail address or the password is wrong.');
}

function createLinkRoutes(
  { access, passwords }: SessionRoutesDeps,
  { beginSession }: SessionAnswers,
) {
  const look: RouteHandler = async function lookAtLink(req, res) {
    const { token: linkToken } = readBody(Type.Object({ token }), req.body);
    const invitation = await access.findInvitation(hashToken(linkToken));
    if (!invitation) throw linkEnded();
    const { kind, email, accountName, expiresAt, role } = invitation;
    const answer: SetUpLookAnswer = {
      kind,
      email,
      role: kind === 'invite' ? toRole(role) : null,
      accountName,
      expiresAt: expiresAt.getTime(),
      minPasswordLength,
    };
    sendJson(res, answer);
  };

  const setUp: RouteHandler = async function setUp(req, res) {
    const body = readBody(setUpBody, req.body);
    requireLongPassword('password', body.password);
    const tokenHash = hashToken(body.token);
    // Checked before the password is hashed, because hashing is expensive.
    const invitation = await access.findInvitation(tokenHash);
    if (!invitation) throw linkEnded();
    const email = invitation.email ?? body.email.trim().toLowerCase();
    const passwordHash = await passwords.hash(email, body.password);
    const acceptedInvitation = await access.useInvitation({ tokenHash, email, passwordHash });
    if (!acceptedInvitation) throw linkEnded();
    await beginSession(req, res, acceptedInvitation.operatorId);
  };

  return { look, setUp };
}

function createOwnRoutes(
  { access, passwords, confirmPassword }: SessionRoutesDeps,
  { signedIn }: Routes,
) {
  const ownSessionRules = { allowsViewers: true };
  return {
    list: signedIn(async ({ session }): Promise<SessionListAnswer> => {
      const ownId = session.tokenHash.toString('hex');
      const rows = await access.listSessions(session.operator.id);
      return {
        sessions: rows.map(({ id, createdAt, lastSeenAt, expiresAt }) => ({
          id,
          isThisOne: id === ownId,
          createdAt: createdAt.getTime(),
          lastSeenAt: lastSeenAt.getTime(),
          expiresAt: expiresAt.getTime(),
        })),
      };
    }),

    end: signedIn(async ({ session, path, actor }) => {
      const self = { ...actor, operatorId: session.operator.id };
      const isEnded = await access.endSessionById(self, path['id'] ?? '');
      if (!isEnded) throw notFound('session');
      return { success: true };
    }, ownSessionRules),

    changePassword: signedIn(async ({ session, body, actor }) => {
      const { password, newPassword } = readBody(passwordBody, body);
      await confirmPassword(session, password);
      requireLongPassword('newPassword', newPassword);
      await access.changePassword({
        accountId: actor.accountId,
        operatorId: session.operator.id,
        passwordHash: await passwords.hash(session.operator.email, newPassword),
        keptTokenHash: session.tokenHash,
      });
      return { success: true };
    }, ownSessionRules),
  };
}

type SessionAnswers = ReturnType<typeof createSessionAnswers>;

function createSessionAnswers(deps: SessionRoutesDeps) {
  const { access, sessions } = deps;

  async function beginSession(req: Request, res: Response, operatorId: string): Promise<void> {
    const sessionToken = await sessions.begin(req, res, operatorId);
    deps.devices.remember(req, res, operatorId);
    const session = await sessions.findByToken(sessionToken);
    if (!session) throw new Error('The new session was not found');
    sendJson(res, await answerFor(req, session));
  }

  function describeConnection(req: Request): Connection {
    const kind = deps.connections.isHttps(req) ? 'https' : 'plain';
    return { kind, version: deps.version, gatewayUrl: deps.gatewayUrl };
  }

  async function signedOut(req: Request): Promise<SessionAnswer> {
    const needsSetUp = !(await access.hasOperator());
    return { state: 'signed_out', needsSetUp, connection: describeConnection(req) };
  }

  async function answerFor(req: Request, session: Session): Promise<SessionAnswer> {
    const { operator, account, expiresAt, endsAt } = session;
    return {
      state: 'signed_in',
      operator: { id: operator.id, email: operator.email, role: toRole(operator.role) },
      account,
      expiresAt: expiresAt.getTime(),
      endsAt: endsAt.getTime(),
      connection: describeConnection(req),
    };
  }

  return { beginSession, answerFor, signedOut };
}

function requireLongPassword(path: string, password: string): void {
  if (password.length >= minPasswordLength) return;
  throw invalid([{ path, problem: `must have at least ${minPasswordLength} characters` }]);
}

function linkEnded(): Refusal {
  return new Refusal(
    'link_ended',
    'This link expired or was used, or its e-mail address already belongs to an operator of the account. Sign in, or ask the sender for a new link.',
  );
}

export function toRole(role: string): 'owner' | 'editor' | 'viewer' {
  return role === 'owner' || role === 'viewer' ? role : 'editor';
}
