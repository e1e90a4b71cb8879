import { useState } from 'react';
import type { EventAnswer } from '../../api/events';
import { toSentence } from '../../api/field-problem';
import type { DryRunAnswer } from '../../api/test-send';
import type { PageProblem, Result } from '../api';
import { useApp, useServices, useSession } from '../context';
import { CallCode } from '../parts/call-code';
import { Button } from '../parts/controls';
import { Dialog } from '../parts/dialog';
import { buildExampleRecipient } from '../parts/example-recipient';
import { ErrorCount, Form } from '../parts/form';
import { type Form as FormHandle, useForm } from '../parts/use-form';
import { DryRunResult } from './dry-run-result';
import styles from './editor.module.css';
import { parseObject } from './sample';
import { ChannelChoice, type Delivery, DeliveryChoice, RecipientField } from './test-send-fields';
import { TestSendResult } from './test-send-result';
import type { Draft } from './use-draft';
import type { Sample } from './use-sample';

type TestSendProps = { event: EventAnswer; draft: Draft; sample: Sample; onClose: () => void };

/** `user` is JSON. */
type Values = { channels: string[]; delivery: Delivery; user: string };

/** Sends the draft through the same code path as a call; the log marks it as a test. */
export function TestSendDialog({ event, draft, sample, onClose }: TestSendProps) {
  const { registry, mayChange } = useSession();
  const channels = registry.channels
    .map(({ channel }) => channel)
    .filter((channel) => channel in draft.definition.channels);
  const form = useForm<Values>({
    channels,
    delivery: 'sandbox',
    user: JSON.stringify(sample.user ?? buildExampleRecipient(channels), null, 2),
  });
  const { sentRequestId, dryRun, submitTest, submitDryRun } = useTestCalls(form, {
    event,
    draft,
    sample,
  });
  const hasNoChannels = channels.length === 0;
  return (
    <Dialog title={`${mayChange ? 'Test send' : 'Dry run'} ${event.name}`} onClose={onClose} isWide>
      <Form form={form} onSubmit={mayChange ? submitTest : submitDryRun}>
        <ChannelChoice channels={channels} />
        <DeliveryChoice onChange={() => form.showProblem(undefined)} />
        <RecipientField />
        <p className="faint small">The test uses the sample data of the editor.</p>
        {sentRequestId && (
          <TestSendResult key={sentRequestId} requestId={sentRequestId} onGo={onClose} />
        )}
        {dryRun && <DryRunResult dryRun={dryRun} />}
        <div className="dialog-foot">
          <ErrorCount />
          {mayChange && (
            <Button look="main-action" type="submit" disabled={hasNoChannels}>
              {mustConfirm(form) ? 'Send live' : 'Send test'}
            </Button>
          )}
          <Button disabled={hasNoChannels} onClick={() => void submitDryRun()}>
            Dry run
          </Button>
          <Button onClick={onClose}>Close</Button>
        </div>
      </Form>
      <CallExample event={event} user={parseObject(form.watch('user')) ?? {}} data={sample.data} />
    </Dialog>
  );
}

const mustConfirm = ({ problem }: FormHandle<Values>) => problem?.code === 'needs_confirmation';

/** The two calls of the dialog. The result of one replaces that of the other. */
function useTestCalls(
  form: FormHandle<Values>,
  { event, draft, sample }: Omit<TestSendProps, 'onClose'>,
) {
  const app = useApp();
  const { api } = useServices();
  const [result, setResult] = useState<{ sentRequestId?: string; dryRun?: DryRunAnswer }>({});
  const buildInput = ({ channels, delivery, user }: Values) => {
    const call = { user: parseObject(user), data: sample.data, channels, delivery };
    const body = { definition: draft.definition, ...call };
    return { appId: app.id, eventId: event.id, body };
  };
  function settle<Answer>(answer: Result<Answer>): Result<Answer> {
    if (!('problem' in answer)) return answer;
    setResult({});
    return { problem: nameRecipientFields(answer.problem) };
  }
  async function sendTest(values: Values) {
    const { body, ...place } = buildInput(values);
    return settle(
      await api.call('POST /api/apps/:appId/events/:eventId/test', {
        ...place,
        body: { ...body, confirm: mustConfirm(form) },
      }),
    );
  }
  async function runDry(values: Values) {
    return settle(
      await api.call('POST /api/apps/:appId/events/:eventId/dry-run', buildInput(values)),
    );
  }
  return {
    ...result,
    submitTest: form.submit(sendTest, ({ requestId }) => setResult({ sentRequestId: requestId })),
    submitDryRun: form.submit(runDry, (dryRun) => setResult({ dryRun })),
  };
}

/** The recipient is one field, so a problem inside of it says where: "Recipient mobile must be a string." */
function nameRecipientFields(problem: PageProblem): PageProblem {
  const fields = problem.fields?.map((one) =>
    one.path.startsWith('user.')
      ? { path: 'user', problem: toSentence(one.path.slice('user.'.length), one.problem) }
      : one,
  );
  return fields ? { ...problem, fields } : problem;
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
    <details className={styles.call}>
      <summary>The same call from a backend, once this draft is published</summary>
      <CallCode eventId={event.id} user={user} data={data} />
    </details>
  );
}
