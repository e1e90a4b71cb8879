import type { Operators } from '@belfry/database';
import { type IsTrustedProxy, isHttps } from '@belfry/runtime';
import type { RequestHandler } from 'express';
import {
  type SessionInfo,
  type SetUpLink,
  setUpBody,
  setUpLinkBody,
  signInBody,
  type Welcome,
} from '../api-types/session';
import { createBodyReader } from '../read-body';
import { Refusal } from '../refusal';
import { type AttemptLimit, addressOf } from '../sessions/attempt-limit';
import type { Passwords } from '../sessions/password';
import { hashOfToken, type Session, type Sessions } from '../sessions/sessions';

export type SignInRoutesDeps = {
  operators: Pick<Operators, 'hasOperators' | 'findOperator' | 'findSetUpLink' | 'setUp'>;
  sessions: Sessions;
  passwords: Passwords;
  attempts: AttemptLimit;
  isTrustedProxy: IsTrustedProxy;
};

/** What works without a session: how one comes to be. */
type SignInRoutes = {
  welcome: RequestHandler;
  checkLink: RequestHandler;
  setUp: RequestHandler;
  signIn: RequestHandler;
};

export function createSignInRoutes(deps: SignInRoutesDeps): SignInRoutes {
  const { operators, sessions, passwords, isTrustedProxy } = deps;
  const readLink = createBodyReader(setUpLinkBody);
  const readSetUp = createBodyReader(setUpBody);

  const welcome: RequestHandler = async (req, res) => {
    const answer: Welcome = {
      hasOperators: await operators.hasOperators(),
      isPlainHttp: !isHttps(req, isTrustedProxy),
    };
    res.json(answer);
  };

  const checkLink: RequestHandler = async (req, res) => {
    const found = await operators.findSetUpLink(hashOfToken(readLink(req).token));
    if (!found) throw invalidLink();
    const { accountName, expiresAt } = found;
    const answer: SetUpLink = { accountName, expiresAt: expiresAt.toISOString() };
    res.json(answer);
  };

  const setUp: RequestHandler = async (req, res) => {
    const { token, email, password } = readSetUp(req);
    const tokenHash = hashOfToken(token);
    // Before the password is hashed, which is dear: a link that is no good costs nothing.
    if (!(await operators.findSetUpLink(tokenHash))) throw invalidLink();
    const passwordHash = await passwords.hash(password);
    const made = await operators.setUp(tokenHash, { email, passwordHash });
    if ('operator' in made) {
      res.json(sessionInfo(await sessions.begin(req, res, made.operator)));
      return;
    }
    if (made.refused === 'link_invalid') throw invalidLink();
    throw new Refusal('email_taken', 'an operator with this e-mail exists: sign in');
  };

  return { welcome, checkLink, setUp, signIn: createSignIn(deps) };
}

function createSignIn(deps: SignInRoutesDeps): RequestHandler {
  const { operators, sessions, passwords, attempts } = deps;
  const readSignIn = createBodyReader(signInBody);
  return async function signIn(req, res) {
    const { email, password } = readSignIn(req);
    const attempt = { email: email.toLowerCase(), address: addressOf(req) };
    attempts.count(attempt);
    const operator = await operators.findOperator(email);
    if (!(await passwords.verify(password, operator?.passwordHash)) || !operator) {
      throw new Refusal('invalid_credentials', 'e-mail or password is wrong');
    }
    attempts.forgive(attempt);
    res.json(sessionInfo(await sessions.begin(req, res, operator)));
  };
}

export function sessionInfo(session: Session): SessionInfo {
  const { operatorId, email, role, accountId, accountName, expiresAt } = session;
  return {
    operator: { id: operatorId, email, role },
    account: { id: accountId, name: accountName },
    expiresAt: expiresAt.toISOString(),
  };
}

function invalidLink(): Refusal {
  const text = 'this set-up link is unknown, used or older than 30 min: make a new one';
  return new Refusal('setup_link_invalid', text);
}
