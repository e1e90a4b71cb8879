import { useId, useState } from 'react';
import { formatMoment } from '../dates';
import { plural } from '../format';
import { Segments } from '../parts/controls';
import { Icon } from '../parts/icons';
import styles from './editor.module.css';
import { formatLeaf, listLeaves, parseLeaf, parseObject, withLeaf } from './sample';
import type { Sample, SampleSource } from './use-sample';

const views = [
  { value: 'form', text: 'Form' },
  { value: 'json', text: 'JSON' },
] as const;

export function SamplePanel({ sample }: { sample: Sample }) {
  const [view, setView] = useState<'form' | 'json'>('form');
  const { data, source } = sample;
  const leaves = listLeaves(data);
  const isGenerated = source === 'generated';
  const unreadChannels = isGenerated ? sample.unreadChannels : [];
  const isComplete = !isGenerated || (sample.isRead && unreadChannels.length === 0);
  return (
    <section className={styles.sample} aria-label="Sample data">
      <div className={`bar ${styles.sampleBar}`}>
        <b>Sample data</b>
        {isComplete && <span className="faint small cut">{plural(leaves.length, 'value')}</span>}
        <span className="grow" />
        <SourceChip sample={sample} />
        <Segments
          label="Format of the sample data"
          options={views}
          value={view}
          onChange={setView}
        />
      </div>
      {unreadChannels.length > 0 && (
        <p className={`faint small ${styles.unread}`}>
          Values of {unreadChannels.join(', ')} cannot be read until the template has no errors.
        </p>
      )}
      {view === 'form' ? (
        <div className={styles.leaves}>
          {leaves.map(({ path, value }) => (
            <LeafInput
              key={path}
              path={path}
              value={value}
              onChange={(next) => sample.setData(withLeaf(data, path, next))}
            />
          ))}
          {leaves.length === 0 && isComplete && (
            <p className="faint small">
              {isGenerated
                ? 'The templates of this event use no values yet.'
                : 'This data has no values.'}
            </p>
          )}
        </div>
      ) : (
        <JsonArea data={data} onData={sample.setData} />
      )}
    </section>
  );
}

function SourceChip({ sample: { last, source, setSource } }: { sample: Sample }) {
  const sources: { value: SampleSource; text: string }[] = [
    { value: 'generated', text: 'generated' },
    ...(last
      ? [{ value: 'request' as const, text: `request ${formatMoment(last.createdAt)}` }]
      : []),
    ...(source === 'own' ? [{ value: 'own' as const, text: 'edited' }] : []),
  ];
  return (
    <label className="chip set">
      source <b className="cut">{sources.find(({ value }) => value === source)?.text}</b>
      <Icon name="down" size={12} />
      <select
        aria-label="Source of the sample data"
        value={source}
        onChange={({ target }) => {
          const next = sources.find(({ value }) => value === target.value);
          if (next) setSource(next.value);
        }}
      >
        {sources.map(({ value, text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

function LeafInput({
  path,
  value,
  onChange,
}: {
  path: string;
  value: unknown;
  onChange: (value: unknown) => void;
}) {
  const id = useId();
  const { text, original, set } = useEdited(value, formatLeaf);
  const isWrong = parseLeaf(original, text) === undefined;
  const isList = typeof original === 'object' && original !== null;
  function change(next: string) {
    const leaf = parseLeaf(original, next);
    set(next, leaf ?? value);
    if (leaf !== undefined) onChange(leaf);
  }
  return (
    <div className={isList ? `${styles.leaf} ${styles.wide}` : styles.leaf}>
      <label htmlFor={id} className="cut" title={path}>
        {path}
      </label>
      <input
        id={id}
        className={`input${isList ? ' mono' : ''}${isWrong ? ' bad' : ''}`}
        aria-invalid={isWrong ? true : undefined}
        aria-describedby={isWrong ? `${id}-problem` : undefined}
        value={text}
        onChange={({ target }) => change(target.value)}
      />
      {isWrong && (
        <div id={`${id}-problem`} className="hint bad">
          This value must be a list or an object, as JSON.
        </div>
      )}
    </div>
  );
}

function JsonArea({
  data,
  onData,
}: {
  data: Record<string, unknown>;
  onData: (data: Record<string, unknown>) => void;
}) {
  const { text, set } = useEdited(data, (value) => JSON.stringify(value, null, 2));
  const isWrong = parseObject(text) === undefined;
  const id = useId();
  function change(next: string) {
    const parsedData = parseObject(next);
    set(next, parsedData ?? data);
    if (parsedData) onData(parsedData);
  }
  return (
    <div className={styles.json}>
      <textarea
        className={isWrong ? 'input mono area bad' : 'input mono area'}
        aria-label="Sample data as JSON"
        aria-invalid={isWrong ? true : undefined}
        aria-describedby={isWrong ? id : undefined}
        rows={8}
        spellCheck={false}
        value={text}
        onChange={({ target }) => change(target.value)}
      />
      {isWrong && (
        <div id={id} className="hint bad">
          Sample data must be a JSON object.
        </div>
      )}
    </div>
  );
}

/**
 * The text of a value while it is edited, with the value that was there before. Only a value from outside, such as another
 * source, replaces the text.
 */
function useEdited<Value>(value: Value, format: (value: Value) => string) {
  const [edited, setEdited] = useState<{ text: string; value: Value; original: Value }>();
  const isOwn = edited !== undefined && Object.is(edited.value, value);
  const { text, original } = isOwn ? edited : { text: format(value), original: value };
  return {
    text,
    original,
    set: (next: string, meaning: Value) => setEdited({ text: next, value: meaning, original }),
  };
}
