import { randomBytes } from 'node:crypto';
import type { People, PeopleChange, PeopleObstacle } from '@belfry/database';
import type { PeopleAnswer } from '../../api/people';
import type { ConfirmPassword } from '../confirm-password';
import { notFound, Refusal } from '../problem';
import { type Handlers, readId, type SignedInCall } from '../route';
import { hashToken } from '../sessions';
import { toRole } from './session';

export type PeopleHandlersDeps = { people: People; confirmPassword: ConfirmPassword };

const invitationLivesMs = 72 * 60 * 60_000;
const tokenBytes = 32;

/** Operators of the account. Changes require the password, because a session may be stolen. */
export function createPeopleHandlers({ people, confirmPassword }: PeopleHandlersDeps) {
  const list = ({ actor }: Pick<SignedInCall, 'actor'>) => listPeople(people, actor);

  return {
    'GET /api/people': list,

    async 'POST /api/people/invitations'(call) {
      const { email, role, password } = call.body;
      await confirmPassword(call.session, password);
      const token = randomBytes(tokenBytes).toString('base64url');
      const tokenHash = hashToken(token);
      const invite = { tokenHash, email: email.trim().toLowerCase(), role };
      refuse(await people.invite(call.actor, { ...invite, livesMs: invitationLivesMs }));
      const peopleAnswer = await list(call);
      const id = tokenHash.toString('hex');
      const expiresAt = peopleAnswer.invitations.find((one) => one.id === id)?.expiresAt ?? 0;
      return { token, expiresAt, people: peopleAnswer };
    },

    async 'DELETE /api/people/invitations/:id'(call) {
      refuse(await people.revoke(call.actor, call.path.id), 'invitation');
      return list(call);
    },

    async 'PATCH /api/people/:id'(call) {
      const { role, password } = call.body;
      const id = readId(call.path.id, 'person');
      await confirmPassword(call.session, password);
      refuse(await people.changeRole(call.actor, { id, role }));
      return list(call);
    },

    async 'DELETE /api/people/:id'(call) {
      const id = readId(call.path.id, 'person');
      await confirmPassword(call.session, call.body.password);
      refuse(await people.remove(call.actor, id));
      // A person who removed themselves has no session any more.
      return id === call.session.operator.id ? { success: true } : list(call);
    },

    async 'DELETE /api/people/:id/totp'(call) {
      const id = readId(call.path.id, 'person');
      await confirmPassword(call.session, call.body.password);
      refuse(await people.resetTotp(call.actor, id));
      return list(call);
    },
  } satisfies Partial<Handlers>;
}

async function listPeople(
  people: People,
  { accountId, operatorId }: SignedInCall['actor'],
): Promise<PeopleAnswer> {
  const [rows, invitations] = await Promise.all([
    people.list(accountId),
    people.listInvitations(accountId),
  ]);
  return {
    people: rows.map(({ createdAt, lastSeenAt, ...row }) => ({
      ...row,
      role: toRole(row.role),
      isYou: row.id === operatorId,
      since: createdAt.getTime(),
      lastSeenAt: lastSeenAt?.getTime() ?? null,
    })),
    invitations: invitations.map(({ createdAt, expiresAt, ...row }) => ({
      ...row,
      role: toRole(row.role),
      createdAt: createdAt.getTime(),
      expiresAt: expiresAt.getTime(),
    })),
  };
}

function refuse(change: PeopleChange, what = 'person'): void {
  if (!('obstacle' in change)) return;
  if (change.obstacle === 'not_found') throw notFound(what);
  throw refusals[change.obstacle]();
}

const refusals: Record<Exclude<PeopleObstacle, 'not_found'>, () => Refusal> = {
  last_owner: () =>
    new Refusal('wrong_state', 'This is the only owner. Make another person an owner first.'),
  not_owner: () => new Refusal('not_allowed', 'Only an owner of the account can do this.'),
  is_self: () =>
    new Refusal('wrong_state', 'Remove your own two-step sign-in on your account page.'),
  no_totp: () => new Refusal('wrong_state', 'Two-step sign-in of this person is not on.'),
  is_operator: () =>
    new Refusal(
      'name_taken',
      'This address already belongs to a person of this account. Change their role instead.',
      {
        fields: [
          {
            path: 'email',
            problem: 'already belongs to a person of this account; change their role instead',
          },
        ],
      },
    ),
  too_many: () =>
    new Refusal(
      'wrong_state',
      'There are already 100 pending invitations. Revoke some of them first.',
    ),
};
