import type { Role } from './session';

/** GET api/people: everybody who may sign in, and the links that wait to be used. */
export type PeopleAnswer = { people: PersonRow[]; invitations: InvitationRow[] };

export type PersonRow = {
  id: string;
  email: string;
  role: Role;
  isYou: boolean;
  since: number;
  /** Null for who never signed in since. */
  lastSeenAt: number | null;
};

export type InvitationRow = {
  id: string;
  email: string;
  role: Role;
  /** An operator's address. */
  invitedBy: string | null;
  createdAt: number;
  expiresAt: number;
};

/** POST api/people/invitations: of owners. 409 `name_taken` where the address is an operator's of this account. */
export type InviteBody = { email: string; role: Role; password: string };
/** The token is told this once: `<dashboard>/join#<token>` is the link. */
export type InviteAnswer = { token: string; expiresAt: number; people: PeopleAnswer };

/** PATCH api/people/:id: of owners; answers PeopleAnswer. 409 `wrong_state` for the last owner. */
export type ChangeRoleBody = { role: Role; password: string };
/** DELETE api/people/:id: of owners; answers PeopleAnswer. */
export type RemovePersonBody = { password: string };
