import { useEffect, useEffectEvent } from 'react';
import type { WebhookEndpointAnswer, WebhookListAnswer } from '../../api/webhooks';
import type { Result } from '../api';
import { useSession } from '../context';
import { Button } from '../parts/controls';
import { ErrorCount, Form, TextField, useField } from '../parts/form';
import { UnsavedGuard } from '../parts/unsaved';
import { useForm } from '../parts/use-form';
import styles from './webhooks.module.css';

type Types = WebhookListAnswer['types'];
type TypeName = Types[number]['name'];
export type EndpointValues = { url: string; types: TypeName[]; description: string };

/** Form to add or change an endpoint. A new one gets every event type at first. */
export function EndpointForm<Answer>({
  stored,
  types,
  action,
  send,
  toEndpoint,
  onDone,
}: {
  stored: WebhookEndpointAnswer | undefined;
  types: Types;
  action: string;
  send: (values: EndpointValues, changed: Partial<EndpointValues>) => Promise<Result<Answer>>;
  toEndpoint: (answer: Answer) => EndpointValues;
  onDone: (answer: Answer) => Promise<void>;
}) {
  const { mayChange } = useSession();
  const form = useForm(stored ? pickValues(stored) : createValues(types));
  // Another operator may change the endpoint.
  const { isDirty, reset } = form;
  const showStored = useEffectEvent(() => {
    if (stored && !isDirty) reset(pickValues(stored));
  });
  const storedText = stored && JSON.stringify(pickValues(stored));
  useEffect(() => {
    if (storedText !== undefined) showStored();
  }, [storedText]);
  const onSubmit = form.submit(
    async (sent) => {
      const result = await send(sent, form.pickChanged(sent));
      return 'value' in result ? { value: { sent, answer: result.value } } : result;
    },
    async ({ sent, answer }) => {
      form.settle(pickValues(toEndpoint(answer)), sent);
      await onDone(answer);
    },
  );
  return (
    <Form form={form} className={styles.form} onSubmit={onSubmit}>
      <div className="pad">
        <fieldset className="form" disabled={!mayChange}>
          <TextField
            name="url"
            label="URL"
            type="url"
            isMono
            required="Enter a URL."
            maxLength={2_048}
            autoComplete="off"
            hint="https, port 443, a public host, no user name or password."
          />
          <TextField name="description" label="Description" maxLength={500} autoComplete="off" />
          <TypeChoice types={types} />
        </fieldset>
      </div>
      {mayChange && (
        <div className="foot">
          <ErrorCount />
          <Button look="main-action" type="submit">
            {action}
          </Button>
        </div>
      )}
      <UnsavedGuard unsaved={form} what={stored?.url ?? 'the new endpoint'} isTab />
    </Form>
  );
}

function pickValues({ url, types, description }: EndpointValues): EndpointValues {
  return { url, types, description };
}

const createValues = (types: Types): EndpointValues => {
  return { url: '', types: types.map(({ name }) => name), description: '' };
};

/** The field `types` of a form: a checkbox for each event type. */
function TypeChoice({ types }: { types: Types }) {
  const { field, set, problem } = useField<TypeName[]>('types', 'Event types', (chosen) =>
    chosen.length === 0 ? 'Choose at least one event type.' : undefined,
  );
  const isAll = field.value.length === types.length;
  const toggle = (name: TypeName, isOn: boolean) =>
    set(
      types
        .map((type) => type.name)
        .filter((each) => (each === name ? isOn : field.value.includes(each))),
    );
  return (
    <fieldset className="field" aria-describedby={problem ? 'types-problem' : undefined}>
      <legend className="field-head">
        <span>Event types</span>
      </legend>
      <p>
        <Button look="small" onClick={() => set(isAll ? [] : types.map(({ name }) => name))}>
          {isAll ? 'Clear all' : 'Select all'}
        </Button>
      </p>
      <ul className={styles.types}>
        {types.map(({ name, means }, index) => (
          <li key={name}>
            <label className="check">
              <input
                ref={index === 0 ? field.ref : undefined}
                type="checkbox"
                checked={field.value.includes(name)}
                onChange={({ target }) => toggle(name, target.checked)}
              />
              <span>
                <code>{name}</code>
                <small>{means}</small>
              </span>
            </label>
          </li>
        ))}
      </ul>
      {problem && (
        <div id="types-problem" className="hint bad">
          {problem}
        </div>
      )}
    </fieldset>
  );
}
