import { useState } from 'react';
import type { KeyRow } from '../../api/keys';
import { useAnswer } from '../answers';
import { useServices, useSession } from '../context';
import { formatMoment } from '../dates';
import { CreateKeyButton } from '../keys/create-key-button';
import { keyNameHint, RenameKeyDialog } from '../keys/rename-key-dialog';
import { CodeBlock } from '../parts/code';
import { Button } from '../parts/controls';
import { CheckField, TextField } from '../parts/form';
import { Moment } from '../parts/moment';
import { AwayBar, NoteBox, Waiting } from '../parts/notes';
import { PageHead } from '../parts/page-head';
import { PasswordDialog } from '../parts/password-dialog';
import stacked from '../parts/stacked-rows.module.css';
import { Mark } from '../parts/state-mark';
import { type Column, Table } from '../parts/table';
import { useForm } from '../parts/use-form';

const readEveryMs = 15_000;

type Step = { kind: 'show' | 'end' | 'rename'; key: KeyRow } | { kind: 'create' };

/** Two keys can be active, so that a key can be rotated without downtime. */
export function KeysPage() {
  const { mayChange, isOwner } = useSession();
  const keys = useAnswer('GET /api/keys', {}, { everyMs: readEveryMs });
  const [step, setStep] = useState<Step>();
  const [revealedKey, setRevealedKey] = useState<{ hint: string; key: string }>();
  const active = keys.value?.keys.filter(({ state }) => state !== 'ended').length ?? 0;
  const max = keys.value?.maxActive ?? 2;
  return (
    <div className="pane">
      <AwayBar loaded={keys} reload={keys.reload} />
      <PageHead
        action={
          isOwner && (
            <CreateKeyButton
              obstacle={
                active >= max ? `${max} keys are already active. Revoke one first.` : undefined
              }
              onCreate={() => setStep({ kind: 'create' })}
            />
          )
        }
      >
        A backend sends the key as <code>Authorization: AuthKey &lt;API key&gt;</code>. Use it only
        on servers, never in a browser or an app. <ApiReference />
      </PageHead>
      {revealedKey && (
        <div className="pad">
          <CodeBlock title={`API key ${revealedKey.hint}`} text={revealedKey.key}>
            {revealedKey.key}
          </CodeBlock>
          <p className="faint small">
            <Button look="small" onClick={() => setRevealedKey(undefined)}>
              Hide
            </Button>
          </p>
        </div>
      )}
      {keys.value ? (
        <KeyTable keys={keys.value.keys} mayChange={mayChange} onStep={setStep} />
      ) : (
        <Waiting loaded={keys} reload={keys.reload} what="API keys" />
      )}
      <Rotation active={active} max={max} />
      {step && (
        <StepDialog
          step={step}
          onClose={() => setStep(undefined)}
          onKey={(hint, key) => setRevealedKey({ hint, key })}
          onChanged={keys.reload}
        />
      )}
    </div>
  );
}

/** The gateway serves it. */
function ApiReference() {
  const { session } = useSession();
  return (
    <a href={`${session.connection.gatewayUrl}/docs`} target="_blank" rel="noreferrer">
      API reference
    </a>
  );
}

function Rotation({ active, max }: { active: number; max: number }) {
  return (
    <div className="pad">
      <NoteBox tone="plain" title="Rotate without downtime">
        {active < max
          ? 'Create a second key, deploy it to your callers, then revoke the old one. It can stay valid for one more hour.'
          : 'Two keys are active. When “Last used” of the old key no longer changes, revoke it.'}
      </NoteBox>
    </div>
  );
}

const stateLabels = {
  active: { mark: 'delivered', text: 'active' },
  ending: { mark: 'queued', text: 'expires' },
  ended: { mark: 'skipped', text: 'revoked' },
} as const;

function KeyTable({
  keys,
  mayChange,
  onStep,
}: {
  keys: KeyRow[];
  mayChange: boolean;
  onStep: (step: Step) => void;
}) {
  const columns: Column<KeyRow>[] = [
    {
      header: 'Name',
      className: stacked.line,
      sortBy: ({ name }) => name,
      cell: ({ name }) => name ?? <span className="faint">no name</span>,
    },
    { header: 'Key', className: 'ev', cell: ({ hint }) => hint },
    {
      header: 'State',
      sortBy: ({ state }) => state,
      cell: ({ state, expiresAt }) => (
        <span className="state">
          <Mark name={stateLabels[state].mark} /> {stateLabels[state].text}
          {state === 'ending' && expiresAt && ` at ${formatMoment(expiresAt)}`}
        </span>
      ),
    },
    {
      header: 'Created',
      className: 'num',
      sortBy: ({ createdAt }) => createdAt,
      cell: ({ createdAt }) => (
        <span data-label="created">
          <Moment at={createdAt} />
        </span>
      ),
    },
    {
      header: 'Last used',
      className: 'num',
      sortBy: ({ lastUsedAt }) => lastUsedAt,
      cell: ({ lastUsedAt }) => (
        <span data-label="last used">{lastUsedAt ? <Moment at={lastUsedAt} /> : 'never'}</span>
      ),
    },
    {
      header: 'Actions',
      isHeaderHidden: true,
      className: `c-acts right ${stacked.line}`,
      cell: (key) => mayChange && key.state !== 'ended' && <KeyActs apiKey={key} onStep={onStep} />,
    },
  ];
  return (
    <Table
      caption="API keys"
      className={`wide-rows ${stacked.rows}`}
      columns={columns}
      rows={keys}
      getKey={({ id }) => id}
    />
  );
}

function KeyActs({ apiKey, onStep }: { apiKey: KeyRow; onStep: (step: Step) => void }) {
  const { isOwner } = useSession();
  const rowName = <span className="vh"> {apiKey.name ?? apiKey.hint}</span>;
  return (
    <span className="row-acts">
      <Button look="small" onClick={() => onStep({ kind: 'show', key: apiKey })}>
        Show{rowName}
      </Button>
      {isOwner && (
        <>
          <Button look="small" onClick={() => onStep({ kind: 'rename', key: apiKey })}>
            Rename{rowName}
          </Button>
          <Button look="small" onClick={() => onStep({ kind: 'end', key: apiKey })}>
            Revoke{rowName}
          </Button>
        </>
      )}
    </span>
  );
}

const graceMs = 3_600_000;

type StepProps = {
  onClose: () => void;
  onKey: (hint: string, key: string) => void;
  onChanged: () => Promise<void>;
};

function StepDialog({ step, ...props }: StepProps & { step: Step }) {
  if (step.kind === 'end') return <EndDialog ended={step.key} {...props} />;
  if (step.kind === 'rename') return <RenameKeyDialog renamed={step.key} {...props} />;
  return <ShowDialog existingKey={step.kind === 'show' ? step.key : undefined} {...props} />;
}

/** Shows an existing key, or creates one and shows it. */
function ShowDialog({
  existingKey,
  onClose,
  onKey,
  onChanged,
}: StepProps & { existingKey: KeyRow | undefined }) {
  const { api } = useServices();
  const form = useForm({ password: '', name: '' });
  return (
    <PasswordDialog
      form={form}
      title={existingKey ? `Show key ${existingKey.name ?? existingKey.hint}` : 'Create API key'}
      text="Anyone with the key can make calls. Confirm with your password."
      action={existingKey ? 'Show key' : 'Create key'}
      send={({ password, name }) =>
        existingKey
          ? api.call('POST /api/keys/:id/show', { id: existingKey.id, body: { password } })
          : api.call('POST /api/keys', { body: { password, name } })
      }
      onDone={async ({ key }) => {
        onKey(existingKey?.name ?? existingKey?.hint ?? form.watch('name'), key);
        // First, so that the closed dialog finds what is left of its opener.
        await onChanged();
        onClose();
      }}
      onClose={onClose}
    >
      {!existingKey && (
        <TextField
          name="name"
          label="Name"
          required="Enter a name."
          maxLength={128}
          hint={keyNameHint}
        />
      )}
    </PasswordDialog>
  );
}

function EndDialog({ ended, onClose, onChanged }: StepProps & { ended: KeyRow }) {
  const { api } = useServices();
  const form = useForm({ password: '', isImmediate: false });
  const isImmediate = form.watch('isImmediate');
  const mustConfirm = form.problem?.code === 'needs_confirmation';
  return (
    <PasswordDialog
      form={form}
      title={`Revoke key ${ended.name ?? ended.hint}`}
      text={
        isImmediate
          ? 'Calls with this key are refused at once.'
          : 'The key stays valid for one hour. Until then, switch all callers to another key.'
      }
      action={getRevokeLabel(mustConfirm, isImmediate)}
      send={({ password }) =>
        api.call('POST /api/keys/:id/end', {
          id: ended.id,
          body: {
            password,
            afterMs: isImmediate ? 0 : graceMs,
            ...(mustConfirm ? { confirm: true } : {}),
          },
        })
      }
      onDone={async () => {
        // First, so that the closed dialog finds what is left of its opener.
        await onChanged();
        onClose();
      }}
      onClose={onClose}
      extra={<CheckField name="isImmediate" label="Revoke immediately" />}
    />
  );
}

function getRevokeLabel(mustConfirm: boolean, isImmediate: boolean): string {
  if (mustConfirm) return 'Revoke anyway';
  return isImmediate ? 'Revoke now' : 'Revoke in one hour';
}
