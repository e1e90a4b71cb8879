import { useHref } from 'react-router';
import type { PeopleAnswer } from '../../api/people';
import type { Role } from '../../api/session';
import { useServices } from '../context';
import { formatFull } from '../dates';
import { CodeBlock } from '../parts/code';
import { Button } from '../parts/controls';
import { TextField } from '../parts/form';
import { PasswordDialog } from '../parts/password-dialog';
import { useForm } from '../parts/use-form';
import { RoleChoice } from './role-choice';

type Invited = { email: string; token: string; expiresAt: number };

export function InviteDialog({
  onClose,
  onInvited,
}: {
  onClose: () => void;
  onInvited: (invited: Invited, people: PeopleAnswer) => void;
}) {
  const { api } = useServices();
  const form = useForm({ email: '', role: 'editor' as Role, password: '' });
  return (
    <PasswordDialog
      form={form}
      title="Invite person"
      text="This creates a link for one address. It works once and expires after 72 hours."
      action="Create link"
      send={(body) => api.call('POST /api/people/invitations', { body })}
      onDone={({ people, ...invitation }) => {
        onInvited({ email: form.watch('email').trim().toLowerCase(), ...invitation }, people);
        onClose();
      }}
      onClose={onClose}
    >
      <TextField
        name="email"
        label="E-mail"
        type="email"
        autoComplete="off"
        required="Enter an e-mail address."
      />
      <RoleChoice />
    </PasswordDialog>
  );
}

/** Shows the link, which cannot be shown again. */
export function InvitedLink({ email, token, expiresAt, onHide }: Invited & { onHide: () => void }) {
  const link = `${window.location.origin}${useHref('/join')}#${token}`;
  return (
    <div className="pad">
      <CodeBlock title={`Link for ${email}`} text={link}>
        {link}
      </CodeBlock>
      <p className="faint small">
        This link is not shown again. Treat it like a password. It expires at{' '}
        {formatFull(expiresAt)} or after its first use.{' '}
        <Button look="small" onClick={onHide}>
          Hide
        </Button>
      </p>
    </div>
  );
}
