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
    const answer = await api.invite({ email, role, password });
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
      title="Invite a person"
      text="You get a link to hand over: it works once, within 72 hours, for this address."
      action="Make the link"
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

/** The only time that the link is seen. */
export function InvitedLink({ email, token, expiresAt, onHide }: Invited & { onHide: () => void }) {
  const { api } = useServices();
  const link = `${api.getUrl('join')}#${token}`;
  return (
    <div className="pad">
      <CodeBlock title={`Link for ${email}`} text={link}>
        {link}
      </CodeBlock>
      <p className="faint small">
        It is shown this once. Hand it over as you would a password; it ends at{' '}
        {moment(expiresAt, Date.now())}, or once it was used.{' '}
        <Button look="small" onClick={onHide}>
          Hide it
        </Button>
      </p>
    </div>
  );
}
