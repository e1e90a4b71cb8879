import { type FormEvent, useState } from 'react';
import type { EventAnswer } from '../../api/events';
import type { DryRunAnswer } from '../../api/test-send';
import type { PageProblem } from '../api';
import { useApp, useServices, useSession } from '../context';
import { CallCode } from '../parts/call-code';
import { Button, Segments } from '../parts/controls';
import { Dialog } from '../parts/dialog';
import { buildExampleRecipient } from '../parts/example-recipient';
import { FieldHead } from '../parts/field';
import { NoteBox, ProblemNote } from '../parts/notes';
import { DryRunResult } from './dry-run-result';
import { JsonArea } from './sample-panel';
import { TestSendResult } from './test-send-result';
import type { Draft } from './use-draft';
import type { Sample } from './use-sample';

const deliveries = [
  { value: 'sandbox', text: 'Sandbox' },
  { value: 'live', text: 'Live' },
] as const;

/** Sends the draft through the same code path as a call; the log marks it as a test. */
export function TestSendDialog({
  event,
  draft,
  sample,
  onClose,
}: {
  event: EventAnswer;
  draft: Draft;
  sample: Sample;
  onClose: () => void;
}) {
  const app = useApp();
  const { api } = useServices();
  const { registry, mayChange } = useSession();
  const own = registry.channels.filter(({ channel }) => channel in draft.definition.channels);
  const [channels, setChannels] = useState(() => own.map(({ channel }) => channel));
  const [user, setUser] = useState<Record<string, unknown>>(
    () => sample.user ?? buildExampleRecipient(own.map(({ channel }) => channel)),
  );
  const [delivery, setDelivery] = useState<'sandbox' | 'live'>('sandbox');
  const [problem, setProblem] = useState<PageProblem>();
  const [sentRequestId, setSentRequestId] = useState<string>();
  const [dryRun, setDryRun] = useState<DryRunAnswer>();
  const mustConfirm = problem?.code === 'needs_confirmation';
  const place = { appId: app.id, eventId: event.id };
  const call = { definition: draft.definition, user, data: sample.data, channels, delivery };
  async function runDry() {
    const answer = await api.call('POST /api/apps/:appId/events/:eventId/dry-run', {
      ...place,
      body: call,
    });
    setProblem('problem' in answer ? answer.problem : undefined);
    setDryRun('value' in answer ? answer.value : undefined);
    setSentRequestId(undefined);
  }
  async function send(form: FormEvent) {
    form.preventDefault();
    const answer = await api.call('POST /api/apps/:appId/events/:eventId/test', {
      ...place,
      body: { ...call, ...(mustConfirm ? { confirm: true } : {}) },
    });
    setProblem('problem' in answer ? answer.problem : undefined);
    setDryRun(undefined);
    setSentRequestId('value' in answer ? answer.value.requestId : undefined);
  }
  return (
    <Dialog title={`${mayChange ? 'Test send' : 'Dry run'} ${event.name}`} onClose={onClose} isWide>
      <form className="form" onSubmit={(form) => void send(form)}>
        <ChannelChecks
          channels={own.map(({ channel }) => channel)}
          selected={channels}
          onChoose={setChannels}
        />
        <Segments
          label="Delivery"
          options={deliveries}
          value={delivery}
          onChange={(next) => {
            setDelivery(next);
            setProblem(undefined);
          }}
        />
        <div className="field">
          <FieldHead id="test-user" label="Recipient" aside="`user` of the call" />
          <JsonArea data={user} onData={setUser} label="Recipient as JSON" />
        </div>
        <p className="faint small">The test uses the sample data of the editor.</p>
        <TestProblem problem={problem} />
        {sentRequestId && (
          <TestSendResult key={sentRequestId} requestId={sentRequestId} onGo={onClose} />
        )}
        {dryRun && <DryRunResult dryRun={dryRun} />}
        <div className="dialog-foot">
          {mayChange && (
            <Button look="main-action" type="submit" disabled={channels.length === 0}>
              {mustConfirm ? 'Send live' : 'Send test'}
            </Button>
          )}
          <Button disabled={channels.length === 0} onClick={() => void runDry()}>
            Dry run
          </Button>
          <Button onClick={onClose}>Close</Button>
        </div>
      </form>
      <CallExample event={event} user={user} data={sample.data} />
    </Dialog>
  );
}

function TestProblem({ problem }: { problem: PageProblem | undefined }) {
  if (problem?.code !== 'needs_confirmation') return <ProblemNote problem={problem} />;
  return <NoteBox tone="amber">{problem.error}</NoteBox>;
}

function CallExample({
  event,
  user,
  data,
}: {
  event: EventAnswer;
  user: Record<string, unknown>;
  data: Sample['data'];
}) {
  if (!event.live) {
    return (
      <p className="faint small">
        After you publish the event, the call is shown here as curl and client code.
      </p>
    );
  }
  return (
    <details className="call-example">
      <summary>The same call from a backend, once this draft is published</summary>
      <CallCode eventId={event.id} user={user} data={data} />
    </details>
  );
}

function ChannelChecks({
  channels,
  selected,
  onChoose,
}: {
  channels: string[];
  selected: string[];
  onChoose: (channels: string[]) => void;
}) {
  return (
    <fieldset className="checks">
      <legend className="vh">Channels</legend>
      {channels.map((channel) => (
        <label key={channel} className="check">
          <input
            type="checkbox"
            checked={selected.includes(channel)}
            onChange={({ target }) =>
              onChoose(
                target.checked ? [...selected, channel] : selected.filter((one) => one !== channel),
              )
            }
          />
          {channel}
        </label>
      ))}
      {channels.length === 0 && <span className="faint">The draft has no channels.</span>}
    </fieldset>
  );
}
