import { useAnswer } from '../answers';
import { useApp, useSession } from '../context';
import { plural } from '../format';
import { channelIcon, Icon } from '../parts/icons';
import { type ComparedSection, compareVersions } from './compare';
import { TextDiff } from './text-diff';
import type { ViewedVersion } from './use-version';
import styles from './versions.module.css';

export type ComparedVersion = Pick<ViewedVersion, 'title' | 'definition'>;

/** The differences of two versions, side by side by channel. */
export function Comparison({
  before,
  after,
}: {
  before: ComparedVersion | undefined;
  after: ComparedVersion;
}) {
  const app = useApp();
  const { registry } = useSession();
  const integrations = useAnswer('GET /api/apps/:appId/integrations', { appId: app.id });
  const getIntegrationName = (id: string) =>
    integrations.value?.integrations.find((one) => one.id === id)?.name ??
    `removed integration ${id}`;
  const sections = compareVersions(before?.definition, after.definition, {
    channels: registry.channels.map(({ channel }) => channel),
    integrationName: getIntegrationName,
  });
  const differing = sections.filter(({ change }) => change !== 'same');
  const same = sections.filter(({ change }) => change === 'same').map(({ name }) => name);
  const titles: [string, string] = [before?.title ?? 'nothing', after.title];
  return (
    <>
      <div className={styles.titles} aria-hidden="true">
        <b>{titles[0]}</b>
        <b>{titles[1]}</b>
      </div>
      {differing.map((section) => (
        <Section key={section.name} section={section} titles={titles} />
      ))}
      {differing.length === 0 ? (
        <p className="nothing">
          {titles[0]} and {titles[1]} are equal.
        </p>
      ) : (
        same.length > 0 && <p className="nothing">Unchanged: {same.join(', ')}.</p>
      )}
    </>
  );
}

function Section({ section, titles }: { section: ComparedSection; titles: [string, string] }) {
  const { name, change, fields, same } = section;
  return (
    <section className={styles.section} aria-label={`${name}, ${change}`}>
      <h3>
        <Icon name={name === 'event' ? 'event' : channelIcon(name)} size={14} />
        {name}
        {change !== 'changed' && <span className="tag">{change}</span>}
        {same > 0 && <small>{plural(same, 'field')} unchanged</small>}
      </h3>
      {fields.map((field) => (
        <div key={field.name} className={styles.field}>
          <h4>{field.name}</h4>
          <TextDiff
            label={`${name} ${field.name}`}
            titles={titles}
            before={field.before ?? ''}
            after={field.after ?? ''}
          />
        </div>
      ))}
    </section>
  );
}
