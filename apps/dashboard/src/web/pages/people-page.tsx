import { useState } from 'react';
import type { InvitationRow, PeopleAnswer, PersonRow } from '../../api/people';
import { useAnswer } from '../answers';
import type { PageProblem } from '../api';
import { useServices, useSession } from '../context';
import { moment } from '../format';
import { Button } from '../parts/controls';
import { AwayBar, NoteBox, ProblemNote, Waiting } from '../parts/notes';
import { PageHead } from '../parts/page-head';
import { InviteDialog, InvitedLink } from '../people/invite-dialog';
import { RemovePersonDialog, ResetTotpDialog, RoleDialog } from '../people/person-dialogs';

type Step = { kind: 'invite' } | { kind: keyof typeof personDialogs; person: PersonRow };
const personDialogs = { role: RoleDialog, remove: RemovePersonDialog, totp: ResetTotpDialog };

type Invited = { email: string; token: string; expiresAt: number };

/** Operators with their roles, and pending invitations. */
export function PeoplePage() {
  const { isOwner } = useSession();
  const list = useAnswer('GET /api/people');
  const [step, setStep] = useState<Step>();
  const [invited, setInvited] = useState<Invited>();
  return (
    <div className="pane">
      <AwayBar loaded={list} reload={list.reload} />
      <PageHead
        action={
          isOwner && (
            <Button look="main-action" onClick={() => setStep({ kind: 'invite' })}>
              Invite person
            </Button>
          )
        }
      >
        Owners can do everything, including managing people. Editors can change events, integrations
        and apps, resend messages, and erase users. Viewers can see everything and change nothing.
      </PageHead>
      {invited && <InvitedLink {...invited} onHide={() => setInvited(undefined)} />}
      {list.value ? (
        <>
          <PeopleTable people={list.value.people} onStep={setStep} />
          <Invitations rows={list.value.invitations} onChanged={list.set} />
        </>
      ) : (
        <Waiting loaded={list} reload={list.reload} what="people" />
      )}
      {step?.kind === 'invite' && (
        <InviteDialog
          onClose={() => setStep(undefined)}
          onInvited={(invitation, people) => {
            setInvited(invitation);
            list.set(people);
          }}
        />
      )}
      {step && step.kind !== 'invite' && (
        <PersonStep step={step} onClose={() => setStep(undefined)} onChanged={list.set} />
      )}
    </div>
  );
}

function PersonStep({
  step,
  ...props
}: {
  step: Exclude<Step, { kind: 'invite' }>;
  onClose: () => void;
  onChanged: (people: PeopleAnswer) => void;
}) {
  const PersonDialog = personDialogs[step.kind];
  return <PersonDialog person={step.person} {...props} />;
}

function PeopleTable({ people, onStep }: { people: PersonRow[]; onStep: (step: Step) => void }) {
  const { isOwner } = useSession();
  const now = Date.now();
  return (
    <table className="wide-rows">
      <thead>
        <tr>
          <th>E-mail</th>
          <th className="c-role">Role</th>
          <th className="num opt">Member since</th>
          <th className="num">Last seen</th>
          <th className="c-acts">
            <span className="vh">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {people.map((person) => (
          <tr key={person.id}>
            <td title={person.email}>
              <span className="state">
                <span className="cut">{person.email}</span>
                {person.isYou && <span className="tag on">you</span>}
                {person.hasTotp && <span className="tag">two-step</span>}
              </span>
            </td>
            <td>{person.role}</td>
            <td className="num opt">{moment(person.since, now)}</td>
            <td className="num">{person.lastSeenAt ? moment(person.lastSeenAt, now) : 'never'}</td>
            <td className="right">
              {isOwner && <PersonActions person={person} onStep={onStep} />}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function PersonActions({ person, onStep }: { person: PersonRow; onStep: (step: Step) => void }) {
  const { email, isYou, hasTotp } = person;
  const open = (kind: keyof typeof personDialogs) => () => onStep({ kind, person });
  return (
    <span className="row-acts">
      {hasTotp && !isYou && (
        <Button
          look="small"
          aria-label={`Reset two-step sign-in of ${email}`}
          onClick={open('totp')}
        >
          Reset two-step
        </Button>
      )}
      <Button look="small" aria-label={`Change role of ${email}`} onClick={open('role')}>
        Change role
      </Button>
      <Button look="small" aria-label={`Remove ${email}`} onClick={open('remove')}>
        Remove
      </Button>
    </span>
  );
}

function Invitations({
  rows,
  onChanged,
}: {
  rows: InvitationRow[];
  onChanged: (people: PeopleAnswer) => void;
}) {
  const { isOwner } = useSession();
  const { api } = useServices();
  const [problem, setProblem] = useState<PageProblem>();
  const now = Date.now();
  async function revoke(id: string) {
    const answer = await api.call('DELETE /api/people/invitations/:id', { id });
    setProblem('problem' in answer ? answer.problem : undefined);
    if ('value' in answer) onChanged(answer.value);
  }
  return (
    <section aria-label="Invitations">
      <div className="pad sect-head">
        <h2 className="sect">Pending invitations</h2>
        <ProblemNote problem={problem} />
      </div>
      {rows.length === 0 ? (
        <div className="pad">
          <NoteBox tone="plain">
            None. An invitation link is shown once, works once, and expires after 72 hours.
          </NoteBox>
        </div>
      ) : (
        <table className="wide-rows">
          <thead>
            <tr>
              <th>E-mail</th>
              <th className="c-role">Role</th>
              <th className="opt">Invited by</th>
              <th className="num">Expires</th>
              <th className="c-acts">
                <span className="vh">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.id}>
                <td title={row.email}>{row.email}</td>
                <td>{row.role}</td>
                <td className="opt">{row.invitedBy ?? ''}</td>
                <td className="num">{moment(row.expiresAt, now)}</td>
                <td className="right">
                  {isOwner && (
                    <Button
                      look="small"
                      aria-label={`Revoke the invitation of ${row.email}`}
                      onClick={() => void revoke(row.id)}
                    >
                      Revoke
                    </Button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
