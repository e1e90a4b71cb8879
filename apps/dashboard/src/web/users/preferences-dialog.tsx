import { useState } from 'react';
import type { UserAnswer } from '../../api/users';
import { useAnswer } from '../answers';
import { useApp, useServices, useSession } from '../context';
import { Segments } from '../parts/controls';
import { SelectInput } from '../parts/field';
import { useField } from '../parts/form';
import { FormDialog } from '../parts/form-dialog';
import { Waiting } from '../parts/notes';
import { useForm } from '../parts/use-form';
import {
  getLevelKey,
  listPreferenceChanges,
  type PreferenceValues,
  toPreferenceValues,
} from './preferences';
import styles from './users.module.css';

/** Switches messages of optional events off and on for a user. Only changed levels are sent. */
export function PreferencesDialog({
  user,
  onClose,
  onDone,
}: {
  user: UserAnswer;
  onClose: () => void;
  onDone: () => Promise<void>;
}) {
  const app = useApp();
  const { api } = useServices();
  const [before] = useState(() => toPreferenceValues(user.preferences));
  const form = useForm<{ changes: PreferenceValues }>({ changes: before });
  const changes = listPreferenceChanges(before, form.watch('changes'));
  const onSubmit = form.submit(
    () =>
      api.call('PUT /api/apps/:appId/users/:userSid/preferences', {
        appId: app.id,
        userSid: user.sid,
        body: { changes },
      }),
    async () => {
      onClose();
      await onDone();
    },
  );
  return (
    <FormDialog
      title={`Preferences of ${user.userId}`}
      form={form}
      onSubmit={onSubmit}
      onClose={onClose}
      action="Save preferences"
      isDisabled={changes.length === 0 || form.isSubmitting}
      unsaved="the preferences"
    >
      <p>
        The most specific value decides: category and channel, category, channel, everything.
        Without a value, messages are sent. Mandatory events are always sent.
      </p>
      <Levels />
    </FormDialog>
  );
}

const options = [
  { value: 'not_set', text: 'Not set' },
  { value: 'on', text: 'On' },
  { value: 'off', text: 'Off' },
] as const;

/** One scope at a time: all events, or a category. */
function Levels() {
  const app = useApp();
  const { registry } = useSession();
  const list = useAnswer('GET /api/apps/:appId/categories', { appId: app.id });
  const [category, setCategory] = useState<string | null>(null);
  const { field, set } = useField<PreferenceValues>('changes', 'Preferences');
  if (!list.value) return <Waiting loaded={list} reload={list.reload} what="categories" />;
  const slugs = list.value.categories.map(({ slug }) => slug);
  const channels = [null, ...registry.channels.map(({ channel }) => channel)];
  return (
    <>
      <SelectInput
        label="Events"
        value={category ?? ''}
        onChange={({ target }) => setCategory(target.value || null)}
      >
        <option value="">{describeScope('All optional events', null, field.value)}</option>
        {slugs.map((slug) => (
          <option key={slug} value={slug}>
            {describeScope(`Category ${slug}`, slug, field.value)}
          </option>
        ))}
      </SelectInput>
      <ul className={styles.levels}>
        {channels.map((channel) => {
          const key = getLevelKey({ channel, category });
          const name = channel ?? (category === null ? 'Everything' : 'Every channel');
          return (
            <li key={key}>
              <span className={channel === null ? undefined : 'mono'}>{name}</span>
              <Segments
                label={name}
                options={options}
                value={field.value[key] ?? 'not_set'}
                onChange={(value) => set({ ...field.value, [key]: value })}
              />
            </li>
          );
        })}
      </ul>
    </>
  );
}

function describeScope(name: string, category: string | null, values: PreferenceValues): string {
  const scope = getLevelKey({ category, channel: null });
  const count = Object.keys(values).filter(
    (key) => key.startsWith(scope) && values[key] !== 'not_set',
  ).length;
  return count === 0 ? name : `${name} (${count} set)`;
}
