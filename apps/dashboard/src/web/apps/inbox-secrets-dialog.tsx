import { useState } from 'react';
import type { AppAnswer } from '../../api/apps';
import type { InboxSecretAnswer } from '../../api/inbox-secrets';
import { useAnswer } from '../answers';
import { useServices } from '../context';
import { CodeBlock } from '../parts/code';
import { Button } from '../parts/controls';
import { Dialog } from '../parts/dialog';
import { Moment } from '../parts/moment';
import { Waiting } from '../parts/notes';
import { PasswordDialog } from '../parts/password-dialog';
import stacked from '../parts/stacked-rows.module.css';
import { type Column, Table } from '../parts/table';
import { useForm } from '../parts/use-form';

type Step = { kind: 'create' } | { kind: 'show' | 'revoke'; id: string };
type FullSecret = { id: string; secret: string };
type DialogProps = { app: AppAnswer; onClose: () => void };

/** The secrets with which a backend signs the tokens of inbox readers. Two can be active, so that one can be replaced. */
export function InboxSecretsDialog({ app, onClose }: DialogProps) {
  const list = useAnswer('GET /api/apps/:appId/inbox-secrets', { appId: app.id });
  const [step, setStep] = useState<Step>();
  const [revealed, setRevealed] = useState<FullSecret>();
  if (step) {
    return (
      <StepDialog
        app={app}
        step={step}
        onDone={async (secret) => {
          setRevealed(secret);
          await list.reload();
          setStep(undefined);
        }}
        onClose={() => setStep(undefined)}
      />
    );
  }
  const active = list.value?.secrets.filter(({ revokedAt }) => revokedAt === null) ?? [];
  const canCreate = list.value !== undefined && active.length < list.value.maxActive;
  return (
    <Dialog title={`Inbox secrets of ${app.name}`} onClose={onClose} isWide>
      <p>
        Your backend signs a token (JWT, HS256) for each reader of the inbox with a secret, and
        names it in the header <code>kid</code>. A revoked secret works for up to 5 seconds more;
        its open streams end within 20 seconds.
      </p>
      {revealed && (
        <CodeBlock title={`Secret ${revealed.id}`} text={revealed.secret}>
          {revealed.secret}
        </CodeBlock>
      )}
      {list.value ? (
        <SecretTable secrets={list.value.secrets} onStep={setStep} />
      ) : (
        <Waiting loaded={list} reload={list.reload} what="inbox secrets" />
      )}
      <div className="dialog-foot">
        <Button
          look="main-action"
          disabled={!canCreate}
          onClick={() => setStep({ kind: 'create' })}
        >
          Create secret
        </Button>
        <Button onClick={onClose}>Close</Button>
      </div>
    </Dialog>
  );
}

function SecretTable({
  secrets,
  onStep,
}: {
  secrets: InboxSecretAnswer[];
  onStep: (step: Step) => void;
}) {
  const columns: Column<InboxSecretAnswer>[] = [
    {
      header: 'ID (kid)',
      className: `ev ${stacked.text}`,
      isRowHeader: true,
      cell: ({ id }) => id,
    },
    {
      header: 'Created',
      className: 'num',
      cell: ({ createdAt }) => (
        <span data-label="created">
          <Moment at={createdAt} />
        </span>
      ),
    },
    {
      header: 'State',
      cell: ({ revokedAt }) =>
        revokedAt === null ? (
          'active'
        ) : (
          <>
            revoked <Moment at={revokedAt} />
          </>
        ),
    },
    {
      header: 'Actions',
      isHeaderHidden: true,
      className: 'right',
      cell: ({ id, revokedAt }) =>
        revokedAt === null && (
          <span className="row-acts">
            <Button look="small" onClick={() => onStep({ kind: 'show', id })}>
              Show<span className="vh"> secret {id}</span>
            </Button>
            <Button look="small" onClick={() => onStep({ kind: 'revoke', id })}>
              Revoke<span className="vh"> secret {id}</span>
            </Button>
          </span>
        ),
    },
  ];
  return (
    <Table
      caption="Inbox secrets"
      className={`wide-rows ${stacked.rows}`}
      columns={columns}
      rows={secrets}
      getKey={({ id }) => id}
      empty="No secrets yet. Without one, readers sign in only by a signature with an API key."
    />
  );
}

const texts = {
  create: { title: 'Create inbox secret', action: 'Create secret' },
  show: { title: 'Show inbox secret', action: 'Show secret' },
  revoke: { title: 'Revoke inbox secret', action: 'Revoke secret' },
};

function StepDialog({
  app,
  step,
  onDone,
  onClose,
}: {
  app: AppAnswer;
  step: Step;
  onDone: (secret: FullSecret | undefined) => Promise<void>;
  onClose: () => void;
}) {
  const { api } = useServices();
  const form = useForm({ password: '' });
  const path = '/api/apps/:appId/inbox-secrets';
  const dialog = { ...texts[step.kind], form, onClose };
  if (step.kind === 'revoke') {
    return (
      <PasswordDialog
        {...dialog}
        isDanger
        text="Tokens signed with it are refused. Confirm with your password."
        send={(body) => api.call(`POST ${path}/:id/revoke`, { appId: app.id, id: step.id, body })}
        onDone={() => onDone(undefined)}
      />
    );
  }
  return (
    <PasswordDialog
      {...dialog}
      text="Anyone with the secret can read every inbox of this app. Confirm with your password."
      send={(body) =>
        step.kind === 'show'
          ? api.call(`POST ${path}/:id/show`, { appId: app.id, id: step.id, body })
          : api.call(`POST ${path}`, { appId: app.id, body })
      }
      onDone={onDone}
    />
  );
}
