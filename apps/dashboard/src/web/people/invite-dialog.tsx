import { useState } from 'react';
import type { PeopleAnswer } from '../../api/people';
import type { Role } from '../../api/session';
import type { PageProblem } from '../api';
import { useServices } from '../context';
import { moment } from '../format';
import { CodeBlock } from '../parts/code';
import { Button } from '../parts/controls';
import { Field } from '../parts/field';
import { PasswordDialog } from '../parts/key-reveal';
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
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('editor');
  const [under, setUnder] = useState<string>();
  async function invite(password: string): Promise<PageProblem | undefined> {
    const answer = await api.call('POST /api/people/invitations', {
      body: { email, role, password },
    });
    if ('problem' in answer) {
      const emailProblem = answer.problem.fields?.find(({ path }) => path === 'email')?.problem;
      setUnder(emailProblem);
      return emailProblem === undefined ? answer.problem : undefined;
    }
    const { people, ...invitation } = answer.value;
    onInvited({ email: email.trim().toLowerCase(), ...invitation }, people);
    onClose();
    return undefined;
  }
  return (
    <PasswordDialog
      title="Invite person"
      text="This creates a link for this address. It works once, within 72 hours."
      action="Create link"
      onPassword={invite}
      onClose={onClose}
      before={
        <>
          <Field
            label="E-mail"
            type="email"
            autoComplete="off"
            required
            value={email}
            problem={under}
            onChange={(event) => setEmail(event.target.value)}
          />
          <RoleChoice role={role} onChange={setRole} />
        </>
      }
    />
  );
}

/** Shows the link, which cannot be shown again. */
export function InvitedLink({ email, token, expiresAt, onHide }: Invited & { onHide: () => void }) {
  const { navigation } = useServices();
  const link = `${window.location.origin}${navigation.getHref('join')}#${token}`;
  return (
    <div className="pad">
      <CodeBlock title={`Link for ${email}`} text={link}>
        {link}
      </CodeBlock>
      <p className="faint small">
        This link is not shown again. Treat it like a password. It expires at{' '}
        {moment(expiresAt, Date.now())}or after its first use.{' '}
        <Button look="small" onClick={onHide}>
          Hide
        </Button>
      </p>
    </div>
  );
}
