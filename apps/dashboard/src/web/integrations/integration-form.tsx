import { type RefObject, useEffect, useState } from 'react';
import type { IntegrationAnswer } from '../../api/integrations';
import type { PageProblem } from '../api';
import { useApp, useServices, useSession } from '../context';
import { Button, CopyButton } from '../parts/controls';
import { Field } from '../parts/field';
import { ErrorCount, Form, TextField } from '../parts/form';
import { NoteBox } from '../parts/notes';
import { DiscardDialog, UnsavedGuard } from '../parts/unsaved';
import { listFormFields, type ProviderSelection } from './form-values';
import { IntegrationHead } from './integration-head';
import styles from './integrations.module.css';
import { MadeKeys } from './made-keys';
import { ProviderChoice } from './provider-choice';
import { isMade } from './schema-fields';
import { SchemaFormField } from './schema-form';
import { TestResult } from './test-result';
import { useIntegrationForm } from './use-integration-form';

/** Form to add or change an integration, generated from the provider schema. */
export function IntegrationForm({
  stored,
  onChanged,
}: {
  stored: IntegrationAnswer | undefined;
  onChanged: () => Promise<void>;
}) {
  const { registry } = useSession();
  const [selection, setSelection] = useState<ProviderSelection | undefined>(() => {
    const channel = registry.channels.find((one) => one.channel === stored?.channel);
    const provider = channel?.providers.find((one) => one.provider === stored?.provider);
    return channel && provider ? { channel, provider } : undefined;
  });
  const [changedLabels, setChangedLabels] = useState<string[]>([]);
  const [next, setNext] = useState<ProviderSelection>();
  const choose = (choice: ProviderSelection) =>
    changedLabels.length > 0 ? setNext(choice) : setSelection(choice);
  return (
    <section className={`pane ${styles.side}`} aria-label={stored?.name ?? 'Create integration'}>
      {stored && <IntegrationHead integration={stored} onChanged={onChanged} />}
      {!stored && <ProviderChoice selection={selection} onChoose={choose} />}
      {selection && (
        <SelectedProviderForm
          key={`${selection.channel.channel} ${selection.provider.provider}`}
          selection={selection}
          stored={stored}
          onChanged={onChanged}
          onChangedLabels={setChangedLabels}
        />
      )}
      {stored && !selection && (
        <p className="nothing">
          This version of Belfry does not support the provider of this integration.
        </p>
      )}
      {next && (
        <DiscardDialog
          what="the new integration"
          changed={changedLabels}
          onKeep={() => setNext(undefined)}
          onDiscard={() => {
            setSelection(next);
            setNext(undefined);
          }}
        />
      )}
    </section>
  );
}

function ChangedElsewhere({ isShown }: { isShown: boolean }) {
  if (!isShown) return null;
  return (
    <NoteBox tone="amber" title="This integration was changed after you began to type.">
      Your input stays in the form, but cannot be saved over the change. Open the integration again
      to see it.
    </NoteBox>
  );
}

type FormProps = {
  selection: ProviderSelection;
  stored: IntegrationAnswer | undefined;
  onChanged: () => Promise<void>;
  onChangedLabels: (labels: string[]) => void;
};

function SelectedProviderForm({ selection, stored, onChanged, onChangedLabels }: FormProps) {
  const { mayChange } = useSession();
  const { settings, credentials } = listFormFields(selection.provider);
  const filled = useIntegrationForm({ selection, stored, onChanged });
  const { form, save, test, replaceKeys, keepNewKeys, outcome } = filled;
  useScrollOnPhone(form.element, !stored);
  const changedLabels = form.listChanged();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list is new in each render.
  useEffect(() => onChangedLabels(changedLabels), [changedLabels.join(), onChangedLabels]);
  return (
    <Form form={form} className={`${styles.form}`} onSubmit={save}>
      <div className="pad">
        <TestResult {...outcome} />
        <ChangedElsewhere isShown={filled.isChangedElsewhere} />
        <fieldset className="form" disabled={!mayChange}>
          <TextField
            name="name"
            label="Name"
            aside="used in events and overrides"
            isMono
            required="Enter a name."
            maxLength={128}
          />
          {settings.map((field) => (
            <SchemaFormField key={field.path} name={`settings.${field.path}`} field={field} />
          ))}
          {credentials
            .filter((field) => !stored || !isMade(field))
            .map((field) => (
              <SchemaFormField
                key={field.path}
                name={`credentials.${field.path}`}
                field={field}
                stored={stored?.credentials[field.path]}
                isCredential
              />
            ))}
        </fieldset>
        {stored && credentials.some(isMade) && (
          <MadeKeys
            publicKey={stored.credentials['public_key']?.value ?? null}
            replace={mayChange ? replaceKeys : undefined}
            onReplaced={keepNewKeys}
          />
        )}
        {stored?.receiptUrl && <ReceiptUrl url={stored.receiptUrl} />}
        {stored?.mailSignature && <p className="small">{stored.mailSignature}</p>}
        {stored?.dnsRecord && <DnsRecord record={stored.dnsRecord} />}
        {stored?.canAddToSlack && mayChange && <AddToSlack id={stored.id} />}
      </div>
      {mayChange && (
        <div className="foot">
          <ErrorCount />
          <Button look="main-action" type="submit">
            {stored ? 'Save' : 'Create integration'}
          </Button>
          <Button onClick={() => void test()}>Test connection</Button>
        </div>
      )}
      <UnsavedGuard unsaved={form} what={stored?.name ?? 'the new integration'} />
    </Form>
  );
}

const phoneBelowPx = 720;

/** On a phone, the form of a new integration begins below all providers. */
function useScrollOnPhone(element: RefObject<HTMLElement | null>, isNew: boolean) {
  useEffect(() => {
    if (isNew && window.innerWidth < phoneBelowPx) element.current?.scrollIntoView();
  }, [element, isNew]);
}

function ReceiptUrl({ url }: { url: string }) {
  return (
    <Field
      label="Webhook URL for receipts"
      isMono
      readOnly
      value={url}
      hint="Enter this URL at the provider."
    />
  );
}

/** The record with the public key, which an operator publishes. */
function DnsRecord({ record: { name, value } }: { record: { name: string; value: string } }) {
  return (
    <>
      <Field
        label="Name of the TXT record for DKIM"
        isMono
        readOnly
        value={name}
        after={<CopyButton text={name} label="Copy the name of the TXT record" />}
      />
      <Field
        label="Value of the TXT record for DKIM"
        isMono
        readOnly
        value={value}
        hint="Publish this record in DNS. “Test connection” checks it."
        after={<CopyButton text={value} label="Copy the value of the TXT record" />}
      />
    </>
  );
}

/** Alternative to a pasted token: Slack's install page fills the integration. */
function AddToSlack({ id }: { id: string }) {
  const app = useApp();
  const { api } = useServices();
  const [problem, setProblem] = useState<PageProblem>();
  async function begin() {
    const route = 'POST /api/apps/:appId/integrations/:id/slack-install';
    const answer = await api.call(route, { appId: app.id, id });
    if ('problem' in answer) setProblem(answer.problem);
    else window.location.assign(answer.value.url);
  }
  return (
    <div className="field">
      <Button onClick={() => void begin()}>Add to Slack</Button>
      <p className="faint small">{problem?.error ?? 'Instead of pasting a bot token.'}</p>
    </div>
  );
}
