import { useDesk } from '../context';
import { Segments, Tabs } from '../parts/controls';
import { channelIcon, Icon } from '../parts/icons';
import { Mark } from '../parts/state-mark';
import { useAddChannel } from './add-channel';
import { localesOf } from './definition';
import type { Draft } from './use-draft';

export function ChannelTabs({
  draft,
  current,
  locale,
  onTab,
  onLocale,
}: {
  draft: Draft;
  current: string;
  locale: string;
  onTab: (tab: string) => void;
  onLocale: (locale: string) => void;
}) {
  const { registry, mayChange } = useDesk();
  const { definition, checked } = draft;
  const own = registry.channels.filter(({ channel }) => channel in definition.channels);
  const { isReady, others, add } = useAddChannel(draft, onTab);
  const worst = (channel: string) => {
    const found = checked.problems.filter((problem) => problem.channel === channel);
    if (found.some(({ severity }) => severity === 'error')) return 'failed';
    return found.length > 0 ? 'attention' : undefined;
  };
  const tabs = own.map(({ channel }) => {
    const mark = worst(channel);
    return {
      id: channel,
      content: (
        <>
          <Icon name={channelIcon(channel)} size={15} />
          {channel}
          {mark && <Mark name={mark} />}
          {mark && <span className="vh">, has problems</span>}
        </>
      ),
    };
  });
  const locales = localesOf(definition).map((value) => ({ value, text: value }));
  return (
    <Tabs
      label="Channels"
      tabs={[...tabs, { id: 'settings', content: 'Settings and languages' }]}
      current={current}
      onChange={onTab}
      after={
        <span className="tabs-after">
          {mayChange && others.length > 0 && (
            <label className="chip">
              <Icon name="plus" size={12} />
              Channel
              <select
                aria-label="Add a channel"
                disabled={!isReady}
                value=""
                onChange={({ target }) => target.value && add(target.value)}
              >
                <option value="">Add a channel</option>
                {others.map((channel) => (
                  <option key={channel}>{channel}</option>
                ))}
              </select>
            </label>
          )}
          {locales.length > 1 && (
            <Segments label="Language" options={locales} value={locale} onChange={onLocale} />
          )}
        </span>
      }
    />
  );
}
