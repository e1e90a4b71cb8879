import { useId } from 'react';
import { Segments } from '../parts/controls';
import { AreaInput } from '../parts/field';
import { useField } from '../parts/form';
import { parseObject } from './sample';

export type Delivery = 'sandbox' | 'live';

const deliveries = [
  { value: 'sandbox', text: 'Sandbox' },
  { value: 'live', text: 'Live' },
] as const;

/** The field `channels` of a form: a checkbox for each channel. */
export function ChannelChoice({ channels }: { channels: readonly string[] }) {
  const { field, set, problem } = useField<string[]>('channels', 'Channels', (selected) =>
    selected.length === 0 ? 'Choose at least one channel.' : undefined,
  );
  const id = useId();
  const { value: selected, name, onBlur } = field;
  const choose = (channel: string, isChosen: boolean) =>
    set(channels.filter((one) => (one === channel ? isChosen : selected.includes(one))));
  return (
    <div className="field">
      <fieldset className="checks">
        <legend className="vh">Channels</legend>
        {channels.map((channel) => (
          <label key={channel} className="check">
            <input
              type="checkbox"
              name={name}
              aria-invalid={problem ? true : undefined}
              aria-describedby={problem ? id : undefined}
              checked={selected.includes(channel)}
              onBlur={onBlur}
              onChange={({ target }) => choose(channel, target.checked)}
            />
            {channel}
          </label>
        ))}
        {channels.length === 0 && <span className="faint">The draft has no channels.</span>}
      </fieldset>
      {problem && (
        <div id={id} className="hint bad">
          {problem}
        </div>
      )}
    </div>
  );
}

/** The field `delivery` of a form. */
export function DeliveryChoice({ onChange }: { onChange: () => void }) {
  const { field, set } = useField<Delivery>('delivery', 'Delivery');
  return (
    <div>
      <Segments
        label="Delivery"
        options={deliveries}
        value={field.value}
        onChange={(delivery) => {
          set(delivery);
          onChange();
        }}
      />
    </div>
  );
}

/** The field `user` of a form, as JSON. */
export function RecipientField() {
  const { field, set, problem } = useField<string>('user', 'Recipient', (text) =>
    parseObject(text) ? undefined : 'Recipient must be a JSON object.',
  );
  return (
    <AreaInput
      {...field}
      label="Recipient"
      aside={
        <>
          <code>user</code> of the call, as JSON
        </>
      }
      rows={8}
      problem={problem}
      onChange={({ target }) => set(target.value)}
    />
  );
}
