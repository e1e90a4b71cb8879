import type { Role } from './session';

/** GET api/people: operators and pending invitations. */
export type PeopleAnswer = { people: PersonRow[]; invitations: InvitationRow[] };

export type PersonRow = {
  id: string;
  email: string;
  role: Role;
  isYou: boolean;
  since: number;
  /** Null if the person has not signed in since then. */
  lastSeenAt: number | null;
};

export type InvitationRow = {
  id: string;
  email: string;
  role: Role;
  /** E-mail address of an operator. */
  invitedBy: string | null;
  createdAt: number;
  expiresAt: number;
};

/** POST api/people/invitations: owners only. 409 `name_taken` if the address belongs to an operator of this account. */
export type InviteBody = { email: string; role: Role; password: string };
/** The token is returned only once. The link is `<dashboard>/join#<token>`. */
export type InviteAnswer = { token: string; expiresAt: number; people: PeopleAnswer };

/** PATCH api/people/:id: owners only. Answers PeopleAnswer. 409 `wrong_state` for the last owner. */
export type ChangeRoleBody = { role: Role; password: string };
/** DELETE api/people/:id: owners only. Answers PeopleAnswer. */
export type RemovePersonBody = { password: string };
