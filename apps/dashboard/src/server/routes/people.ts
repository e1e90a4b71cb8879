import { randomBytes } from 'node:crypto';
import type { People, PeopleChange, PeopleObstacle } from '@belfry/database';
import { Type } from '@sinclair/typebox';
import type { InviteAnswer, PeopleAnswer } from '../../api/people';
import type { ConfirmPassword } from '../confirm-password';
import { notFound, Refusal } from '../problem';
import { emailSchema, passwordSchema, readBody } from '../read-body';
import { type Call, type Routes, readId } from '../route';
import { hashToken } from '../sessions';
import { toRole } from './session';

export type PeopleRoutesDeps = { people: People; confirmPassword: ConfirmPassword };

const role = Type.Union([Type.Literal('owner'), Type.Literal('editor'), Type.Literal('viewer')], {
  'x-problem': 'must be owner, editor or viewer',
});
const inviteBody = Type.Object({ email: emailSchema, role, password: passwordSchema });
const roleBody = Type.Object({ role, password: passwordSchema });
const removeBody = Type.Object({ password: passwordSchema });

const invitationLivesMs = 72 * 60 * 60_000;
const tokenBytes = 32;
const forOwners = { isForOwners: true };

/** Operators of the account. Changes require the password, because a session may be stolen. */
export function createPeopleRoutes(
  { people, confirmPassword }: PeopleRoutesDeps,
  { signedIn }: Routes,
) {
  async function answer({ actor }: Pick<Call, 'actor'>): Promise<PeopleAnswer> {
    const { accountId, operatorId } = actor;
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

  return {
    list: signedIn(answer),

    invite: signedIn(async (call): Promise<InviteAnswer> => {
      const { email, role: newRole, password } = readBody(inviteBody, call.body);
      await confirmPassword(call.session, password);
      const token = randomBytes(tokenBytes).toString('base64url');
      const tokenHash = hashToken(token);
      const invite = { tokenHash, email: email.trim().toLowerCase(), role: newRole };
      refuse(await people.invite(call.actor, { ...invite, livesMs: invitationLivesMs }));
      const peopleAnswer = await answer(call);
      const id = tokenHash.toString('hex');
      const expiresAt = peopleAnswer.invitations.find((one) => one.id === id)?.expiresAt ?? 0;
      return { token, expiresAt, people: peopleAnswer };
    }, forOwners),

    revoke: signedIn(async (call) => {
      refuse(await people.revoke(call.actor, call.path['id'] ?? ''), 'invitation');
      return answer(call);
    }, forOwners),

    changeRole: signedIn(async (call) => {
      const { role: newRole, password } = readBody(roleBody, call.body);
      const id = readId(call, 'id', 'person');
      await confirmPassword(call.session, password);
      refuse(await people.changeRole(call.actor, { id, role: newRole }));
      return answer(call);
    }, forOwners),

    remove: signedIn(async (call) => {
      const { password } = readBody(removeBody, call.body);
      const id = readId(call, 'id', 'person');
      await confirmPassword(call.session, password);
      refuse(await people.remove(call.actor, id));
      // A person who removed themselves has no session any more.
      return id === call.session.operator.id ? { success: true } : answer(call);
    }, forOwners),
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
