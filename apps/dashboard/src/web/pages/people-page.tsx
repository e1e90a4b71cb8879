import { useState } from 'react';
import type { InvitationRow, PeopleAnswer, PersonRow } from '../../api/people';
import { useAnswer } from '../answers';
import { useSession } from '../context';
import { Button } from '../parts/controls';
import { Moment } from '../parts/moment';
import { Name } from '../parts/name';
import { AwayBar, NoteBox, Waiting } from '../parts/notes';
import { PageHead } from '../parts/page-head';
import stacked from '../parts/stacked-rows.module.css';
import { type Column, Table } from '../parts/table';
import { InviteDialog, InvitedLink } from '../people/invite-dialog';
import {
  RemovePersonDialog,
  ResetTotpDialog,
  RevokeInvitationDialog,
  RoleDialog,
} from '../people/person-dialogs';
import styles from './people-page.module.css';

type Step = { kind: 'invite' } | { kind: keyof typeof personDialogs; person: PersonRow };
const personDialogs = { role: RoleDialog, remove: RemovePersonDialog, totp: ResetTotpDialog };

type Invited = { email: string; token: string; expiresAt: number };

/** Operators with their roles, and pending invitations. */
export function PeoplePage() {
  const { isOwner } = useSession();
  const list = useAnswer('GET /api/people');
  const [step, setStep] = useState<Step>();
  const [invited, setInvited] = useState<Invited>();
  const isInvited = list.value?.invitations.some(({ email }) => email === invited?.email);
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
      {invited && isInvited && <InvitedLink {...invited} onHide={() => setInvited(undefined)} />}
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
  const columns: Column<PersonRow>[] = [
    {
      header: 'E-mail',
      className: stacked.text,
      title: ({ email }) => email,
      sortBy: ({ email }) => email,
      cell: (person) => (
        <span className="state">
          <span>
            <Name text={person.email} />
          </span>
          {person.isYou && <span className="tag on">you</span>}
          {person.hasTotp && <span className="tag">two-step</span>}
        </span>
      ),
    },
    {
      header: 'Role',
      className: styles.role,
      sortBy: ({ role }) => role,
      cell: ({ role }) => role,
    },
    {
      header: 'Member since',
      className: 'num opt',
      sortBy: ({ since }) => since,
      cell: ({ since }) => (
        <span data-label="member since">
          <Moment at={since} />
        </span>
      ),
    },
    {
      header: 'Last seen',
      className: 'num',
      sortBy: ({ lastSeenAt }) => lastSeenAt,
      cell: ({ lastSeenAt }) => (
        <span data-label="last seen">{lastSeenAt ? <Moment at={lastSeenAt} /> : 'never'}</span>
      ),
    },
    {
      header: 'Actions',
      isHeaderHidden: true,
      className: `c-acts right ${stacked.line}`,
      cell: (person) => isOwner && <PersonActions person={person} onStep={onStep} />,
    },
  ];
  return (
    <Table
      caption="People"
      className={`wide-rows ${stacked.rows}`}
      columns={columns}
      rows={people}
      getKey={({ id }) => id}
    />
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
  const [revoked, setRevoked] = useState<InvitationRow>();
  const columns: Column<InvitationRow>[] = [
    {
      header: 'E-mail',
      className: stacked.line,
      title: ({ email }) => email,
      cell: ({ email }) => email,
    },
    { header: 'Role', className: styles.role, cell: ({ role }) => role },
    {
      header: 'Invited by',
      className: 'opt',
      cell: ({ invitedBy }) =>
        invitedBy && (
          <span data-label="invited by">
            <Name text={invitedBy} />
          </span>
        ),
    },
    {
      header: 'Expires',
      className: 'num',
      cell: ({ expiresAt }) => (
        <span data-label="expires">
          <Moment at={expiresAt} />
        </span>
      ),
    },
    {
      header: 'Actions',
      isHeaderHidden: true,
      className: `c-acts right ${stacked.line}`,
      cell: (invitation) =>
        isOwner && (
          <Button
            look="small"
            aria-label={`Revoke the invitation of ${invitation.email}`}
            onClick={() => setRevoked(invitation)}
          >
            Revoke
          </Button>
        ),
    },
  ];
  return (
    <section aria-label="Invitations">
      <div className={`pad ${styles.head}`}>
        <h2 className="sect">Pending invitations</h2>
      </div>
      {revoked && (
        <RevokeInvitationDialog
          invitation={revoked}
          onClose={() => setRevoked(undefined)}
          onChanged={onChanged}
        />
      )}
      {rows.length === 0 ? (
        <div className="pad">
          <NoteBox tone="plain">
            None. An invitation link is shown once, works once, and expires after 72 hours.
          </NoteBox>
        </div>
      ) : (
        <Table
          caption="Pending invitations"
          className={`wide-rows ${stacked.rows}`}
          columns={columns}
          rows={rows}
          getKey={({ id }) => id}
        />
      )}
    </section>
  );
}
