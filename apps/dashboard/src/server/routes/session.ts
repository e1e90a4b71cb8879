import type { Access, OperatorRow } from '@belfry/database';
import type { Request, Response } from 'express';
import type { Connection, Role, SessionAnswer } from '../../api/session';
import type { ConfirmPassword } from '../confirm-password';
import type { Connections } from '../connection';
import type { Devices } from '../devices';
import { minPasswordLength, type Passwords } from '../password';
import { invalid, notFound, Refusal } from '../problem';
import type { Handlers } from '../route';
import { hashToken, type Session, type Sessions } from '../sessions';
import type { SignInLimits } from '../sign-in-limits';
import type { Totp } from '../totp';

export type SessionHandlersDeps = {
  access: Access;
  sessions: Sessions;
  passwords: Passwords;
  connections: Connections;
  confirmPassword: ConfirmPassword;
  limits: SignInLimits;
  totp: Totp;
  devices: Devices;
  version: string;
  gatewayUrl: string;
};

/** Sign-in, sign-out, one-time links, and the operator's own password and sessions. */
export function createSessionHandlers(deps: SessionHandlersDeps) {
  const answers = createSessionAnswers(deps);
  return {
    ...createSignInHandlers(deps, answers),
    ...createLinkHandlers(deps, answers),
    ...createOwnHandlers(deps),
  };
}

function createSignInHandlers(
  deps: SessionHandlersDeps,
  { beginSession, answerFor, signedOut }: SessionAnswers,
) {
  const { access, sessions, passwords, limits, totp } = deps;

  return {
    async 'GET /api/session'({ req }) {
      const session = await sessions.find(req);
      return session ? answerFor(req, session) : signedOut(req);
    },

    async 'POST /api/session'({ req, res, body }) {
      const { email, password, accountId, code } = body;
      const address = email.trim().toLowerCase();
      const attempt = limits.begin(req, address, await access.listOperators(address));
      const queue = attempt.isKnown ? 'known' : 'stranger';
      const matching = await passwords.findMatching(password, attempt.operators, queue);
      if (matching.length === 0) throw wrongCredentials();
      attempt.succeed(matching);
      const operator = chooseOperator(matching, accountId);
      if (await totp.isOn(operator.id)) {
        if (code === undefined) throw needsCode();
        const self = { accountId: operator.accountId, operatorId: operator.id };
        await totp.checkCode({ req, self, code });
      }
      return beginSession(req, res, operator.id);
    },

    async 'DELETE /api/session'({ req, res }) {
      await sessions.end(req, res);
      return { success: true };
    },
  } satisfies Partial<Handlers>;
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

function needsCode(): Refusal {
  return new Refusal('needs_code', 'Enter a code of your authenticator app.');
}

function createLinkHandlers(
  { access, passwords, totp }: SessionHandlersDeps,
  { beginSession, signedOut }: SessionAnswers,
) {
  return {
    async 'POST /api/set-up/look'({ body }) {
      const invitation = await access.findInvitation(hashToken(body.token));
      if (!invitation) throw linkEnded();
      const { kind, email, accountName, expiresAt, role } = invitation;
      return {
        kind,
        email,
        role: kind === 'invite' ? toRole(role) : null,
        accountName,
        expiresAt: expiresAt.getTime(),
        minPasswordLength,
      };
    },

    async 'POST /api/set-up'({ req, res, body }) {
      requireLongPassword('password', body.password);
      const tokenHash = hashToken(body.token);
      // Checked before the password is hashed, because hashing is expensive.
      const invitation = await access.findInvitation(tokenHash);
      if (!invitation) throw linkEnded();
      const email = invitation.email ?? body.email.trim().toLowerCase();
      const passwordHash = await passwords.hash(email, body.password);
      const acceptedInvitation = await access.useInvitation({ tokenHash, email, passwordHash });
      if (!acceptedInvitation) throw linkEnded();
      const { operatorId } = acceptedInvitation;
      // A link for a new password must not replace the second step.
      return (await totp.isOn(operatorId)) ? signedOut(req) : beginSession(req, res, operatorId);
    },
  } satisfies Partial<Handlers>;
}

function createOwnHandlers({ access, passwords, confirmPassword }: SessionHandlersDeps) {
  return {
    async 'GET /api/sessions'({ session }) {
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
    },

    async 'DELETE /api/sessions/:id'({ session, path, actor }) {
      const self = { ...actor, operatorId: session.operator.id };
      const isEnded = await access.endSessionById(self, path.id);
      if (!isEnded) throw notFound('session');
      return { success: true };
    },

    async 'PUT /api/password'({ session, body, actor }) {
      const { password, newPassword } = body;
      await confirmPassword(session, password);
      requireLongPassword('newPassword', newPassword);
      await access.changePassword({
        accountId: actor.accountId,
        operatorId: session.operator.id,
        passwordHash: await passwords.hash(session.operator.email, newPassword),
        keptTokenHash: session.tokenHash,
      });
      return { success: true };
    },
  } satisfies Partial<Handlers>;
}

type SessionAnswers = ReturnType<typeof createSessionAnswers>;

function createSessionAnswers(deps: SessionHandlersDeps) {
  const { access, sessions } = deps;

  async function beginSession(
    req: Request,
    res: Response,
    operatorId: string,
  ): Promise<SessionAnswer> {
    const sessionToken = await sessions.begin(req, res, operatorId);
    deps.devices.remember(req, res, operatorId);
    const session = await sessions.findByToken(sessionToken);
    if (!session) throw new Error('The new session was not found');
    return answerFor(req, session);
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

export function toRole(role: string): Role {
  return role === 'owner' || role === 'viewer' ? role : 'editor';
}
