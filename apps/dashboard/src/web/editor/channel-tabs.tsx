import { useSession } from '../context';
import { Segments, Tabs } from '../parts/controls';
import { channelIcon, Icon } from '../parts/icons';
import { Mark } from '../parts/state-mark';
import { useAddChannel } from './add-channel';
import { listLocales } from './definition';
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
  const { registry, mayChange } = useSession();
  const { definition, checked } = draft;
  const own = registry.channels.filter(({ channel }) => channel in definition.channels);
  const { isReady, availableChannels, add } = useAddChannel(draft, onTab);
  const getWorstMark = (channel: string) => {
    const problems = checked.problems.filter((problem) => problem.channel === channel);
    if (problems.some(({ severity }) => severity === 'error')) return 'failed';
    return problems.length > 0 ? 'attention' : undefined;
  };
  const tabs = own.map(({ channel }) => {
    const mark = getWorstMark(channel);
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
  const locales = listLocales(definition).map((value) => ({ value, text: value }));
  return (
    <Tabs
      label="Channels"
      tabs={[...tabs, { id: 'settings', content: 'Settings and languages' }]}
      current={current}
      onChange={onTab}
      after={
        <span className="tabs-after">
          {mayChange && availableChannels.length > 0 && (
            <label className="chip">
              <Icon name="plus" size={12} />
              Channel
              <select
                aria-label="Add channel"
                disabled={!isReady}
                value=""
                onChange={({ target }) => target.value && add(target.value)}
              >
                <option value="">Add channel</option>
                {availableChannels.map((channel) => (
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
