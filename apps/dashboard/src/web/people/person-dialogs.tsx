import { useState } from 'react';
import type { PeopleAnswer, PersonRow } from '../../api/people';
import type { Role } from '../../api/session';
import { useServices } from '../context';
import { PasswordDialog } from '../parts/key-reveal';
import { RoleChoice } from './role-choice';

type PersonProps = {
  person: PersonRow;
  onClose: () => void;
  onChanged: (people: PeopleAnswer) => void;
};

export function RoleDialog({ person, onClose, onChanged }: PersonProps) {
  const { api, answers } = useServices();
  const [role, setRole] = useState<Role>(person.role);
  async function change(password: string) {
    const answer = await api.changeRole(person.id, { role, password });
    if ('problem' in answer) return answer.problem;
    onChanged(answer.value);
    onClose();
    // What the page offers follows from one's own role.
    if (person.isYou) await answers.load('session', () => api.readSession());
    return undefined;
  }
  return (
    <PasswordDialog
      title={`Role of ${person.email}`}
      text="It holds from their next call on."
      action="Change the role"
      onPassword={change}
      onClose={onClose}
      before={<RoleChoice role={role} onChange={setRole} />}
    />
  );
}

export function RemovePersonDialog({ person, onClose, onChanged }: PersonProps) {
  const { api, answers } = useServices();
  async function remove(password: string) {
    const answer = await api.removePerson(person.id, password);
    if ('problem' in answer) return answer.problem;
    if ('people' in answer.value) onChanged(answer.value);
    onClose();
    if (person.isYou) await answers.load('session', () => api.readSession());
    return undefined;
  }
  return (
    <PasswordDialog
      title={`Remove ${person.email}`}
      text={`${person.isYou ? 'Your' : 'Their'} sessions end at once, and so do links that ${person.isYou ? 'you' : 'they'} made for others. What was changed stays in the audit. API keys that were shown go on: rotate them.`}
      action={person.isYou ? 'Leave the account' : 'Remove the person'}
      isDanger
      onPassword={remove}
      onClose={onClose}
    />
  );
}
