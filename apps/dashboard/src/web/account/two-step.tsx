import { useState } from 'react';
import type { TotpState } from '../../api/totp';
import { useAnswer, useReload } from '../answers';
import { useServices } from '../context';
import { Button } from '../parts/controls';
import { Dialog } from '../parts/dialog';
import { Moment } from '../parts/moment';
import { NoteBox, Waiting } from '../parts/notes';
import { AddAppDialog } from './add-app-dialog';
import { ConfirmForm } from './confirm-form';
import { RecoveryCodes } from './recovery-codes';

type DialogName = 'add' | 'codes' | 'remove';

/** The second step of the operator's own sign-in. */
export function TwoStep() {
  const state = useAnswer('GET /api/totp');
  const reload = useReload();
  const [dialog, setDialog] = useState<DialogName>();
  function close() {
    setDialog(undefined);
    // The answer to a change may have been lost.
    void state.reload();
  }
  async function showChange() {
    await Promise.all([state.reload(), reload('GET /api/sessions')]);
  }
  return (
    <section aria-label="Two-step sign-in">
      <h2 className="sect">Two-step sign-in</h2>
      {state.value ? (
        <TwoStepState {...state.value} onOpen={setDialog} />
      ) : (
        <Waiting loaded={state} reload={state.reload} what="two-step sign-in" />
      )}
      {dialog === 'add' && <AddAppDialog onAdded={() => void showChange()} onClose={close} />}
      {dialog === 'codes' && <NewCodesDialog onCreated={state.reload} onClose={close} />}
      {dialog === 'remove' && <RemoveDialog onRemoved={showChange} onClose={close} />}
    </section>
  );
}

const fewCodes = 2;

function TwoStepState({
  addedAt,
  recoveryCodesLeft: left,
  onOpen,
}: TotpState & { onOpen: (dialog: DialogName) => void }) {
  if (addedAt === null) {
    return (
      <div className="form narrow">
        <p className="dim small">
          Off. When it is on, a sign-in needs your password and a code from an authenticator app.
        </p>
        <div>
          <Button onClick={() => onOpen('add')}>Add authenticator app</Button>
        </div>
      </div>
    );
  }
  return (
    <div className="form narrow">
      <p className="dim small">
        On since <Moment at={addedAt} />. {left} recovery {left === 1 ? 'code' : 'codes'} left.
      </p>
      {left <= fewCodes && <NoteBox tone="amber">Create new recovery codes soon.</NoteBox>}
      <div className="dialog-foot">
        <Button onClick={() => onOpen('codes')}>New recovery codes</Button>
        <Button onClick={() => onOpen('remove')}>Remove</Button>
      </div>
    </div>
  );
}

function NewCodesDialog({
  onCreated,
  onClose,
}: {
  onCreated: () => Promise<void>;
  onClose: () => void;
}) {
  const { api } = useServices();
  const [codes, setCodes] = useState<string[]>();
  return (
    <Dialog title="New recovery codes" onClose={onClose}>
      {codes ? (
        <RecoveryCodes codes={codes} onDone={onClose} />
      ) : (
        <ConfirmForm
          text="Your earlier recovery codes will stop working."
          action="Create codes"
          hasCode
          send={(body) => api.call('POST /api/totp/recovery-codes', { body })}
          onDone={({ recoveryCodes }) => {
            setCodes(recoveryCodes);
            return onCreated();
          }}
          onCancel={onClose}
        />
      )}
    </Dialog>
  );
}

function RemoveDialog({
  onRemoved,
  onClose,
}: {
  onRemoved: () => Promise<void>;
  onClose: () => void;
}) {
  const { api } = useServices();
  return (
    <Dialog title="Remove two-step sign-in" onClose={onClose}>
      <ConfirmForm
        text="A sign-in will need only your password. Your recovery codes will stop working, and your other sessions will be revoked."
        action="Remove"
        hasCode
        isDanger
        send={(body) => api.call('DELETE /api/totp', { body })}
        onDone={() => {
          onClose();
          return onRemoved();
        }}
        onCancel={onClose}
      />
    </Dialog>
  );
}
