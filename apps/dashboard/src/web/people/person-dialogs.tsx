import type { InvitationRow, PeopleAnswer, PersonRow } from '../../api/people';
import { useReload } from '../answers';
import { useServices } from '../context';
import { FormDialog } from '../parts/form-dialog';
import { PasswordDialog } from '../parts/password-dialog';
import { useForm } from '../parts/use-form';
import { RoleChoice } from './role-choice';

type PersonProps = {
  person: PersonRow;
  onClose: () => void;
  onChanged: (people: PeopleAnswer) => void;
};

export function RoleDialog({ person, onClose, onChanged }: PersonProps) {
  const { api } = useServices();
  const reload = useReload();
  const form = useForm({ role: person.role, password: '' });
  return (
    <PasswordDialog
      form={form}
      title={`Change role of ${person.email}`}
      text="The new role applies from their next action. Invitations by somebody who is no longer an owner end."
      action="Change role"
      send={(body) => api.call('PATCH /api/people/:id', { id: person.id, body })}
      onDone={async (people) => {
        onChanged(people);
        onClose();
        // The operator's own role decides what the page offers.
        if (person.isYou) await reload('GET /api/session');
      }}
      onClose={onClose}
    >
      <RoleChoice />
    </PasswordDialog>
  );
}

export function ResetTotpDialog({ person, onClose, onChanged }: PersonProps) {
  const { api } = useServices();
  const form = useForm({ password: '' });
  return (
    <PasswordDialog
      form={form}
      title={`Reset two-step sign-in of ${person.email}`}
      text="Use this if they lost their authenticator app and their recovery codes. Their password alone signs them in until they add an app again. Their sessions are revoked at once."
      action="Reset two-step sign-in"
      isDanger
      send={(body) => api.call('DELETE /api/people/:id/totp', { id: person.id, body })}
      onDone={(people) => {
        onChanged(people);
        onClose();
      }}
      onClose={onClose}
    />
  );
}

export function RemovePersonDialog({ person, onClose, onChanged }: PersonProps) {
  const { api } = useServices();
  const reload = useReload();
  const form = useForm({ password: '' });
  return (
    <PasswordDialog
      form={form}
      title={person.isYou ? 'Leave account' : `Remove ${person.email}`}
      text={`${person.isYou ? 'Your' : 'Their'} sessions and pending invitations are revoked at once. The audit log keeps ${person.isYou ? 'your' : 'their'} changes. API keys stay valid: rotate the keys that ${person.isYou ? 'you' : 'they'} have seen.`}
      action={person.isYou ? 'Leave account' : 'Remove person'}
      isDanger
      send={(body) => api.call('DELETE /api/people/:id', { id: person.id, body })}
      onDone={async (answer) => {
        if ('people' in answer) onChanged(answer);
        onClose();
        if (person.isYou) await reload('GET /api/session');
      }}
      onClose={onClose}
    />
  );
}

export function RevokeInvitationDialog({
  invitation: { id, email },
  onClose,
  onChanged,
}: {
  invitation: InvitationRow;
  onClose: () => void;
  onChanged: (people: PeopleAnswer) => void;
}) {
  const { api } = useServices();
  const form = useForm({});
  const onSubmit = form.submit(
    () => api.call('DELETE /api/people/invitations/:id', { id }),
    (people) => {
      onChanged(people);
      onClose();
    },
  );
  return (
    <FormDialog
      title={`Revoke the invitation of ${email}`}
      form={form}
      onSubmit={onSubmit}
      onClose={onClose}
      action="Revoke invitation"
      isDanger
    >
      <p>The link stops working at once. You can invite {email} again.</p>
    </FormDialog>
  );
}
