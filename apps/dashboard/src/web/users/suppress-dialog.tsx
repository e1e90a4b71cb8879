import { type FormEvent, useState } from 'react';
import type { PageProblem } from '../api';
import { useApp, useServices, useSession } from '../context';
import { Button } from '../parts/controls';
import { Dialog } from '../parts/dialog';
import { Field, FieldHead } from '../parts/field';
import { ProblemNote } from '../parts/notes';

/** Suppresses a given or typed address. */
export function SuppressDialog({
  channel: initialChannel,
  address: initialAddress,
  onClose,
  onDone,
}: {
  channel?: string;
  address?: string;
  onClose: () => void;
  onDone: () => Promise<void>;
}) {
  const app = useApp();
  const { registry } = useSession();
  const { api } = useServices();
  const names = registry.channels.map(({ channel }) => channel);
  const [channel, setChannel] = useState(initialChannel ?? 'email');
  const [address, setAddress] = useState(initialAddress ?? '');
  const [detail, setDetail] = useState('');
  const [problem, setProblem] = useState<PageProblem>();
  async function submit(event: FormEvent) {
    event.preventDefault();
    const answer = await api.call('POST /api/apps/:appId/suppressions', {
      appId: app.id,
      body: { channel, address, detail },
    });
    if ('problem' in answer) return setProblem(answer.problem);
    onClose();
    await onDone();
  }
  const under = (path: string) => problem?.fields?.find((field) => field.path === path)?.problem;
  return (
    <Dialog
      title={initialAddress ? `Suppress ${initialAddress}` : 'Suppress address'}
      onClose={onClose}
    >
      <form className="form" onSubmit={(event) => void submit(event)}>
        <p>
          This app will send no more messages to the address. New and waiting messages are skipped
          and shown in the log.
        </p>
        {!problem?.fields && <ProblemNote problem={problem} />}
        {initialAddress === undefined && (
          <>
            <div className="field">
              <FieldHead id="suppress-channel" label="Channel" />
              <select
                id="suppress-channel"
                className="input"
                value={channel}
                onChange={(event) => setChannel(event.target.value)}
              >
                {names.map((name) => (
                  <option key={name}>{name}</option>
                ))}
              </select>
            </div>
            <Field
              label="Address"
              isMono
              required
              autoComplete="off"
              value={address}
              problem={under('address')}
              onChange={(event) => setAddress(event.target.value)}
            />
          </>
        )}
        <Field
          label="Reason"
          required
          maxLength={500}
          value={detail}
          problem={under('detail')}
          hint="Shown beside the address."
          onChange={(event) => setDetail(event.target.value)}
        />
        <div className="dialog-foot">
          <Button look="main-action" type="submit">
            Suppress
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  );
}
