import { useState } from 'react';
import { useNavigate } from 'react-router';
import type { IntegrationAnswer } from '../../api/integrations';
import { useAnswer } from '../answers';
import { useApp, useSession } from '../context';
import { IntegrationForm } from '../integrations/integration-form';
import { IntegrationList } from '../integrations/integration-list';
import { Divider } from '../parts/divider';
import { ListPage } from '../parts/list-page';
import { Waiting } from '../parts/notes';
import { buildPath } from '../route';

const formPx = 448;

export function IntegrationsPage({ openId }: { openId: string | undefined }) {
  const app = useApp();
  const navigate = useNavigate();
  const { reloadApps } = useSession();
  const [text, setText] = useState('');
  const list = useAnswer(
    'GET /api/apps/:appId/integrations',
    { appId: app.id },
    { everyMs: 15_000 },
  );
  const all = list.value?.integrations ?? [];
  const visibleIntegrations = all.filter((one) => matches(one, text.trim().toLowerCase()));
  const open = all.find(({ id }) => id === openId);
  async function reload() {
    await Promise.all([list.reload(), reloadApps()]);
  }
  return (
    <ListPage
      finds="Find integration"
      placeholder="Name, provider, channel, health"
      text={text}
      onText={setText}
      loaded={list}
      reload={list.reload}
      create={{
        text: 'Create integration',
        onClick: () => void navigate(buildPath(app.id, 'integrations', 'new')),
      }}
    >
      <div className={openId ? 'body open' : 'body'}>
        {list.value ? (
          <IntegrationList
            integrations={visibleIntegrations}
            isNone={all.length === 0}
            openId={openId}
          />
        ) : (
          <Waiting loaded={list} reload={list.reload} what="integrations" />
        )}
        {openId === 'new' && <IntegrationForm key="new" stored={undefined} onChanged={reload} />}
        {open && <IntegrationForm key={open.id} stored={open} onChanged={reload} />}
        {openId && <Divider name="integrations" side="last" initialPx={formPx} />}
      </div>
    </ListPage>
  );
}

function matches({ name, provider, channel, health }: IntegrationAnswer, text: string): boolean {
  const verdict = health.verdict.replace('_', ' ');
  return `${name} ${provider} ${channel} ${verdict}`.toLowerCase().includes(text);
}
