import { useState } from 'react';
import { useNavigate } from 'react-router';
import type { EventAnswer } from '../../api/events';
import { useReload } from '../answers';
import { useApp, useServices, useSession } from '../context';
import { ConfirmNameDialog } from '../parts/confirm-name-dialog';
import { Button } from '../parts/controls';
import { Name } from '../parts/name';
import { NameDialog } from '../parts/name-dialog';
import { buildPath } from '../route';
import { AddLanguage } from './add-language';
import { listLocales, withLocale, withoutLocale } from './definition';
import styles from './editor.module.css';
import { EventKind } from './event-kind';
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
    <div className={`pad form ${styles.eventSettings}`}>
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
            onChange={({ target: { checked } }) =>
              draft.set({
                ...{ ...definition, isSensitive: checked },
                ...(checked && { kind: 'mandatory' }),
              })
            }
          />
          Sensitive, such as a one-time code: data and texts are encrypted, masked in the log, and
          deleted once a message is final
        </label>
      </fieldset>
      <EventKind draft={draft} />
      {mayChange && <NameAndDelete event={event} onEvent={onEvent} />}
    </div>
  );
}

function Languages({ draft }: { draft: Draft }) {
  const { definition } = draft;
  const languages = listLocales(definition);
  return (
    <>
      <ul className={styles.languages}>
        {languages.map((one) => (
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
      {Object.keys(definition.channels).length === 0 ? (
        <p className="hint">Choose a channel before you add a language.</p>
      ) : (
        <AddLanguage
          languages={languages}
          onAdd={(language) => draft.set(withLocale(definition, language))}
        />
      )}
    </>
  );
}

type NameProps = { event: EventAnswer; onEvent: (event: EventAnswer) => void };

function NameAndDelete({ event, onEvent }: NameProps) {
  const [doing, setDoing] = useState<'rename' | 'remove'>();
  const onClose = () => setDoing(undefined);
  return (
    <fieldset>
      <legend className="sect">Name</legend>
      <p>
        <span className="mono">
          <Name text={event.name} />
        </span>{' '}
        <span className="faint small">
          Callers send this as <code>event</code>.
        </span>
      </p>
      <div className="inline-form">
        <Button onClick={() => setDoing('rename')}>Rename</Button>
        <Button look="danger" onClick={() => setDoing('remove')}>
          Delete event
        </Button>
      </div>
      {doing === 'rename' && (
        <RenameEventDialog event={event} onEvent={onEvent} onClose={onClose} />
      )}
      {doing === 'remove' && <RemoveEventDialog event={event} onClose={onClose} />}
    </fieldset>
  );
}

function RenameEventDialog({ event, onEvent, onClose }: NameProps & { onClose: () => void }) {
  const app = useApp();
  const { api } = useServices();
  const reload = useReload();
  return (
    <NameDialog
      title={`Rename ${event.name}`}
      initial={event.name}
      action={(_name, problem) =>
        problem?.code === 'needs_confirmation' ? 'Rename anyway' : 'Rename'
      }
      hint={
        <>
          Callers send this as <code>event</code>. Unique in this app.
        </>
      }
      maxLength={128}
      isMono
      send={(name, problem) =>
        api.call('PATCH /api/apps/:appId/events/:eventId', {
          appId: app.id,
          eventId: event.id,
          body: { name, confirm: problem?.code === 'needs_confirmation' },
        })
      }
      onDone={async (renamedEvent) => {
        onEvent(renamedEvent);
        onClose();
        await reload('GET /api/apps/:appId/events', { appId: app.id });
      }}
      onClose={onClose}
    />
  );
}

function RemoveEventDialog({ event, onClose }: { event: EventAnswer; onClose: () => void }) {
  const app = useApp();
  const { api } = useServices();
  const navigate = useNavigate();
  const reload = useReload();
  return (
    <ConfirmNameDialog
      title={`Delete ${event.name}`}
      label="Event name"
      name={event.name}
      action="Delete event"
      send={(confirmName) =>
        api.call('DELETE /api/apps/:appId/events/:eventId', {
          appId: app.id,
          eventId: event.id,
          body: { confirmName },
        })
      }
      onDone={async () => {
        onClose();
        void navigate(buildPath(app.id, 'events'));
        await reload('GET /api/apps/:appId/events', { appId: app.id });
      }}
      onClose={onClose}
    >
      <p>
        Calls of this event get 404 within seconds. Accepted messages are still sent, and its
        requests stay in the log. Enter the name of the event to confirm.
      </p>
    </ConfirmNameDialog>
  );
}
