import { useState } from 'react';
import type { IntegrationAnswer, TestConnectionAnswer } from '../../api/integrations';
import type { ChannelForm, ProviderForm } from '../../api/registry';
import type { PageProblem } from '../api';
import { useApp, useServices, useSession } from '../context';
import { Button } from '../parts/controls';
import { Field } from '../parts/field';
import { buildPath } from '../route';
import { IntegrationHead } from './integration-head';
import { ProviderChoice } from './provider-choice';
import { checkField, getAt, getDefaults, listSchemaFields, type Values } from './schema-fields';
import { SchemaForm } from './schema-form';
import { TestResult } from './test-result';

type ProviderSelection = { channel: ChannelForm; provider: ProviderForm };

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
  return (
    <section className="pane side" aria-label={stored?.name ?? 'Add integration'}>
      {stored && <IntegrationHead integration={stored} onChanged={onChanged} />}
      {!stored && <ProviderChoice selection={selection} onChoose={setSelection} />}
      {selection && (
        <SelectedProviderForm
          key={`${selection.channel.channel} ${selection.provider.provider}`}
          selection={selection}
          stored={stored}
          onChanged={onChanged}
        />
      )}
      {stored && !selection && (
        <p className="nothing">
          This version of Belfry does not support the provider of this integration.
        </p>
      )}
    </section>
  );
}

/** `updatedAt` belongs to the data in the form; a later read may contain another operator's change. */
type FormState = { name: string; settings: Values; credentials: Values; updatedAt: number };

function SelectedProviderForm({
  selection,
  stored,
  onChanged,
}: {
  selection: ProviderSelection;
  stored: IntegrationAnswer | undefined;
  onChanged: () => Promise<void>;
}) {
  const { mayChange } = useSession();
  const settingsFields = listSchemaFields(selection.provider.settings);
  const secretFields = listSchemaFields(selection.provider.credentials);
  const [form, setForm] = useState<FormState>(() => ({
    name: stored?.name ?? '',
    settings: stored?.settings ?? getDefaults(settingsFields),
    credentials: {},
    updatedAt: stored?.updatedAt ?? 0,
  }));
  const [isStrict, setStrict] = useState(false);
  const actions = useFormActions({ selection, stored, form, setForm, onChanged });
  const invalidFields = [
    ...settingsFields.filter((field) => checkField(field, getAt(form.settings, field.path))),
    ...secretFields.filter((field) => {
      const value = getAt(form.credentials, field.path);
      return !(value === undefined && stored?.credentials[field.path]) && checkField(field, value);
    }),
  ];
  const problems = getFieldProblems(actions.problem, stored);
  const attempt = (act: () => Promise<void>) => () => {
    setStrict(true);
    if (invalidFields.length === 0 && form.name !== '') void act();
  };
  return (
    <>
      <div className="pad">
        <TestResult problem={actions.problem} tested={actions.tested} hasSaved={actions.hasSaved} />
        <form className="form" onSubmit={(event) => event.preventDefault()}>
          <Field
            label="Name"
            aside="for events and overrides"
            isMono
            value={form.name}
            problem={problems['name'] ?? (isStrict && !form.name ? 'Enter a name.' : undefined)}
            onChange={(event) => setForm({ ...form, name: event.target.value })}
          />
          <SchemaForm
            fields={settingsFields}
            values={form.settings}
            problems={problems}
            isStrict={isStrict}
            onChange={(settings) => setForm({ ...form, settings })}
          />
          <SchemaForm
            fields={secretFields}
            values={form.credentials}
            problems={problems}
            isStrict={isStrict}
            isSecret
            {...(stored ? { stored: stored.credentials } : {})}
            onChange={(credentials) => setForm({ ...form, credentials })}
          />
        </form>
        {stored?.receiptUrl && <ReceiptUrl url={stored.receiptUrl} />}
        {stored?.canAddToSlack && mayChange && <AddToSlack id={stored.id} />}
      </div>
      {mayChange && (
        <div className="foot">
          <Button look="main-action" onClick={attempt(actions.save)}>
            {stored ? 'Save' : 'Add integration'}
          </Button>
          <Button onClick={attempt(actions.test)}>Test connection</Button>
          <span className="grow" />
          {isStrict && invalidFields.length > 0 && (
            <span className="faint small">
              {invalidFields.length} field{invalidFields.length === 1 ? '' : 's'} to correct
            </span>
          )}
        </div>
      )}
    </>
  );
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

/** Maps the field paths of the server to form fields. */
function getFieldProblems(problem: PageProblem | undefined, stored: IntegrationAnswer | undefined) {
  const all = problem?.fields ?? stored?.problems ?? [];
  return Object.fromEntries(
    all.map((field) => [field.path.replace(/^(settings|credentials)\./, ''), field.problem]),
  );
}

function useFormActions({
  selection,
  stored,
  form,
  setForm,
  onChanged,
}: {
  selection: ProviderSelection;
  stored: IntegrationAnswer | undefined;
  form: FormState;
  setForm: (form: FormState) => void;
  onChanged: () => Promise<void>;
}) {
  const app = useApp();
  const { api, navigation } = useServices();
  const [problem, setProblem] = useState<PageProblem>();
  const [tested, setTested] = useState<TestConnectionAnswer>();
  const [hasSaved, setSaved] = useState(false);
  const kind = { channel: selection.channel.channel, provider: selection.provider.provider };

  async function save() {
    setTested(undefined);
    const secrets = Object.entries(form.credentials).filter(([, value]) => value !== '');
    const answer = stored
      ? await api.call('PUT /api/apps/:appId/integrations/:id', {
          appId: app.id,
          id: stored.id,
          body: {
            updatedAt: form.updatedAt,
            name: form.name,
            settings: form.settings,
            credentials: Object.fromEntries(secrets.map(([path, value]) => [path, String(value)])),
          },
        })
      : await api.call('POST /api/apps/:appId/integrations', {
          appId: app.id,
          body: {
            ...kind,
            name: form.name,
            settings: form.settings,
            credentials: form.credentials,
          },
        });
    setProblem('problem' in answer ? answer.problem : undefined);
    setSaved('value' in answer);
    if ('problem' in answer) return;
    setForm({ ...form, credentials: {}, updatedAt: answer.value.updatedAt });
    await onChanged();
    if (!stored) navigation.go(buildPath(app.id, 'integrations', answer.value.id));
  }

  async function test() {
    setSaved(false);
    const { settings, credentials } = form;
    const id = stored ? { id: stored.id } : {};
    const answer = await api.call('POST /api/apps/:appId/integrations/test', {
      appId: app.id,
      body: { ...id, ...kind, settings, credentials },
    });
    setProblem('problem' in answer ? answer.problem : undefined);
    setTested('value' in answer ? answer.value : undefined);
    if (stored && 'value' in answer && answer.value.isWorking) {
      // Only a test of the stored integration reactivates it.
      await api.call('POST /api/apps/:appId/integrations/:id/test', {
        appId: app.id,
        id: stored.id,
      });
      await onChanged();
    }
  }
  return { save, test, problem, tested, hasSaved };
}
