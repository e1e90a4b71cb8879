import { useState } from 'react';
import type { PublishProblem } from '../../api/problem';
import { useSession } from '../context';
import { listSchemaFields, type SchemaField, setAt } from '../integrations/schema-fields';
import { DraftFields } from '../integrations/schema-form';
import { Button, Tabs } from '../parts/controls';
import { Problems } from '../parts/problems';
import { ChainEditor } from './chain-editor';
import { CodeField } from './code-field';
import { getCodeLanguage, withoutChannel, withTemplate } from './definition';
import styles from './editor.module.css';
import { describeProblem } from './field-labels';
import { PolicyForm } from './policy-form';
import { SingleLineField } from './single-line-field';
import type { Draft } from './use-draft';

/** The template of one channel in one language, with its policy. */
export function ChannelEditor({
  channel,
  locale,
  draft,
  data,
}: {
  channel: string;
  locale: string;
  draft: Draft;
  data: Record<string, unknown>;
}) {
  const { registry, mayChange } = useSession();
  const { definition, checked } = draft;
  const form = registry.channels.find((one) => one.channel === channel);
  const all = form ? listSchemaFields(form.template) : [];
  const code = all.filter(({ path }) => getCodeLanguage(path));
  const singleLineFields = all.filter((field) => isTopText(field) && !getCodeLanguage(field.path));
  const [tab, setTab] = useState(code[0]?.path ?? 'more');
  const template = definition.channels[channel]?.templates[locale] ?? {};
  const problems = checked.problems.filter(
    (one) => one.channel === channel && (one.locale === undefined || one.locale === locale),
  );
  const replace = (next: Record<string, unknown>) =>
    draft.set(withTemplate(definition, { channel, locale }, next));
  const set = (path: string, value: unknown) => replace(setAt(template, path, value));
  const shared = { template, problems, set, paths: checked.paths.map(({ path }) => path), data };
  const current = code.find(({ path }) => path === tab);
  const more = all.filter(
    (field) => !getCodeLanguage(field.path) && !singleLineFields.includes(field),
  );
  const openFields = tab === 'more' ? [...singleLineFields, ...more] : singleLineFields;
  const isShownByField = (one: PublishProblem) => openFields.some(({ path }) => path === one.field);
  return (
    <>
      <div className={styles.settings}>
        {!form?.isBuiltIn && <ChainEditor channel={channel} draft={draft} />}
        {singleLineFields.map((field) => (
          <SingleLineField key={field.path} field={field} {...shared} />
        ))}
      </div>
      <Tabs
        label="Template"
        tabs={[
          ...code.map(({ path, label }) => ({ id: path, content: label })),
          ...(more.length > 0 ? [{ id: 'more', content: 'More fields' }] : []),
          { id: 'policy', content: 'Policy' },
        ]}
        current={tab}
        onChange={setTab}
        after={
          mayChange && (
            <span className="tabs-after">
              <Button
                look="small bare"
                onClick={() => draft.set(withoutChannel(definition, channel))}
              >
                Remove {channel}
              </Button>
            </span>
          )
        }
      />
      {current && <CodeField key={current.path} field={current} {...shared} />}
      {tab === 'more' && (
        <MoreFields {...{ channel, fields: more, template, problems }} onChange={replace} />
      )}
      {tab === 'policy' && <PolicyForm channel={channel} draft={draft} />}
      <Problems problems={problems.filter((one) => !isShownByField(one))} isBelowTemplate />
    </>
  );
}

function MoreFields({
  channel,
  fields,
  template,
  problems,
  onChange,
}: {
  channel: string;
  fields: readonly SchemaField[];
  template: Record<string, unknown>;
  problems: readonly PublishProblem[];
  onChange: (template: Record<string, unknown>) => void;
}) {
  const { registry } = useSession();
  const sentences = problems.map((one) => [
    one.field ?? '',
    describeProblem(registry, channel, one),
  ]);
  return (
    <div className="pad form">
      <DraftFields
        fields={fields}
        values={template}
        problems={Object.fromEntries(sentences)}
        onChange={onChange}
      />
    </div>
  );
}

const isTopText = ({ path, kind }: SchemaField) => kind === 'text' && !path.includes('.');
