import { canonicalizeLocale } from '@belfry/shared';
import { type FormEvent, useState } from 'react';
import type { EventAnswer } from '../../api/events';
import { useReload } from '../answers';
import type { PageProblem } from '../api';
import { useApp, useServices, useSession } from '../context';
import { Button } from '../parts/controls';
import { Dialog } from '../parts/dialog';
import { Field } from '../parts/field';
import { ProblemNote } from '../parts/notes';
import { buildPath } from '../route';
import { findLocaleProblem, listLocales, withLocale, withoutLocale } from './definition';
import type { Draft } from './use-draft';

type SettingsProps = {
  event: EventAnswer;
  draft: Draft;
  onEvent: (event: EventAnswer) => void;
};

/** Settings of the whole event: languages, missing values, sensitivity and name. */
export function EventSettings({ event, draft, onEvent }: SettingsProps) {
  const { mayChange } = useSession();
  const { definition } = draft;
  // The page asks for a channel above, so a missing one is not shown as a problem.
  const isNew = Object.keys(definition.channels).length === 0;
  const eventProblems = isNew
    ? []
    : draft.checked.problems.filter(({ channel }) => channel === undefined);
  return (
    <div className="pad form event-settings">
      {eventProblems.map(({ problem }) => (
        <p key={problem} className="hint bad">
          {problem}
        </p>
      ))}
      <fieldset disabled={!mayChange}>
        <legend className="sect">Languages</legend>
        <Languages draft={draft} />
      </fieldset>
      <fieldset disabled={!mayChange}>
        <legend className="sect">Values</legend>
        <label className="check">
          <input
            type="checkbox"
            checked={definition.missing === 'reject'}
            onChange={({ target }) =>
              draft.set({ ...definition, missing: target.checked ? 'reject' : 'empty' })
            }
          />
          Fail the message if a value is missing; otherwise render it as empty
        </label>
        <label className="check">
          <input
            type="checkbox"
            checked={definition.isSensitive}
            onChange={({ target }) => draft.set({ ...definition, isSensitive: target.checked })}
          />
          Sensitive, such as a one-time code: data and texts are encrypted, masked in the log, and
          deleted once a message is final
        </label>
      </fieldset>
      {mayChange && <NameAndDelete event={event} onEvent={onEvent} />}
    </div>
  );
}

function Languages({ draft }: { draft: Draft }) {
  const { definition } = draft;
  const [typed, setTyped] = useState('');
  const locale = canonicalizeLocale(typed);
  const problem = findLocaleProblem(definition, typed);
  return (
    <>
      <ul className="languages">
        {listLocales(definition).map((one) => (
          <li key={one}>
            <span className="tag mono">{one}</span>
            {one === definition.defaultLocale ? (
              <span className="faint small">
                default: used if there is no text in the user’s language
              </span>
            ) : (
              <>
                <Button
                  look="small"
                  onClick={() => draft.set({ ...definition, defaultLocale: one })}
                >
                  Make default
                </Button>
                <Button look="small" onClick={() => draft.set(withoutLocale(definition, one))}>
                  Remove {one}
                </Button>
              </>
            )}
          </li>
        ))}
      </ul>
      <div className="inline-form">
        <Field
          label="Add language"
          isMono
          value={typed}
          problem={problem}
          onChange={({ target }) => setTyped(target.value.trim())}
        />
        <Button
          disabled={locale === undefined || problem !== undefined}
          onClick={() => {
            if (locale !== undefined) draft.set(withLocale(definition, locale));
            setTyped('');
          }}
        >
          Add {locale ?? 'it'}
        </Button>
      </div>
    </>
  );
}

function NameAndDelete({
  event,
  onEvent,
}: {
  event: EventAnswer;
  onEvent: (event: EventAnswer) => void;
}) {
  const app = useApp();
  const { api } = useServices();
  const reload = useReload();
  const [name, setName] = useState(event.name);
  const [problem, setProblem] = useState<PageProblem>();
  const [isRemoving, setRemoving] = useState(false);
  async function rename(form: FormEvent) {
    form.preventDefault();
    const isConfirmed = problem?.code === 'needs_confirmation';
    const answer = await api.call('PATCH /api/apps/:appId/events/:eventId', {
      appId: app.id,
      eventId: event.id,
      body: { name, confirm: isConfirmed },
    });
    if ('problem' in answer) return setProblem(answer.problem);
    setProblem(undefined);
    onEvent(answer.value);
    await reload('GET /api/apps/:appId/events', { appId: app.id });
  }
  return (
    <fieldset>
      <legend className="sect">Name</legend>
      <ProblemNote problem={problem} />
      <form className="inline-form" onSubmit={(form) => void rename(form)}>
        <Field
          label="Name in calls"
          isMono
          value={name}
          maxLength={128}
          onChange={({ target }) => setName(target.value)}
        />
        <Button type="submit" disabled={name === event.name}>
          {problem?.code === 'needs_confirmation' ? 'Rename anyway' : 'Rename'}
        </Button>
        <Button look="danger" onClick={() => setRemoving(true)}>
          Delete event
        </Button>
      </form>
      {isRemoving && <RemoveEventDialog event={event} onClose={() => setRemoving(false)} />}
    </fieldset>
  );
}

function RemoveEventDialog({ event, onClose }: { event: EventAnswer; onClose: () => void }) {
  const app = useApp();
  const { api, navigation } = useServices();
  const reload = useReload();
  const [typed, setTyped] = useState('');
  const [problem, setProblem] = useState<PageProblem>();
  async function remove(form: FormEvent) {
    form.preventDefault();
    const answer = await api.call('DELETE /api/apps/:appId/events/:eventId', {
      appId: app.id,
      eventId: event.id,
      body: { confirmName: typed },
    });
    if ('problem' in answer) return setProblem(answer.problem);
    onClose();
    navigation.go(buildPath(app.id, 'events'));
    await reload('GET /api/apps/:appId/events', { appId: app.id });
  }
  return (
    <Dialog title={`Delete ${event.name}`} onClose={onClose}>
      <form className="form" onSubmit={(form) => void remove(form)}>
        <p>
          Calls of this event get 404 within seconds. Accepted messages are still sent, and its
          requests stay in the log. Enter the name of the event to confirm.
        </p>
        <ProblemNote problem={problem} />
        <Field
          label="Event name"
          isMono
          autoComplete="off"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
        <div className="dialog-foot">
          <Button look="danger" type="submit" disabled={typed !== event.name}>
            Delete event
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  );
}
