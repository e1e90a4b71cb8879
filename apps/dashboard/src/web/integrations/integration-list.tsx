import { formatFieldName, toSentence } from '../../api/field-problem';
import type { IntegrationAnswer, UsedBy } from '../../api/integrations';
import type { RegistryAnswer } from '../../api/registry';
import { useApp, useSession } from '../context';
import { Link } from '../parts/controls';
import { channelIcon, Icon } from '../parts/icons';
import { Name } from '../parts/name';
import { NoteBox } from '../parts/notes';
import { buildPath } from '../route';
import { listFormFields } from './form-values';
import { HealthMark } from './health';
import { formatLastHour, formatWaiting } from './health-text';
import styles from './integrations.module.css';

export function IntegrationList({
  integrations,
  isNone,
  openId,
}: {
  integrations: IntegrationAnswer[];
  isNone: boolean;
  openId: string | undefined;
}) {
  if (isNone) return <NoIntegration />;
  return (
    <section className={`pane ${styles.list}`} aria-label="Integrations">
      <ul>
        {integrations.map((one) => (
          <Card key={one.id} one={one} isOpen={one.id === openId} />
        ))}
      </ul>
      {integrations.length === 0 && <p className="nothing">No matching integrations.</p>}
    </section>
  );
}

function NoIntegration() {
  const app = useApp();
  const { mayChange } = useSession();
  return (
    <section className={`pane ${styles.list}`} aria-label="Integrations">
      <div className="empty">
        <h2>No integrations yet</h2>
        <p>
          An integration is an account with a provider: a Slack bot, a Twilio number or a mail
          server. Events send through it. Its secrets are encrypted and never shown in full again.
          {app.delivery === 'sandbox' &&
            ' This app uses sandbox delivery: without integrations, every message is captured.'}
        </p>
        {mayChange && (
          <p>
            <Link className="btn main-action" to={buildPath(app.id, 'integrations', 'new')}>
              Create integration
            </Link>
          </p>
        )}
      </div>
    </section>
  );
}

function Card({ one, isOpen }: { one: IntegrationAnswer; isOpen: boolean }) {
  const app = useApp();
  const { registry } = useSession();
  const waiting = formatWaiting(one);
  return (
    <li className={styles.card} aria-current={isOpen ? 'true' : undefined}>
      <span className={styles.picture}>
        <Icon name={channelIcon(one.channel)} />
      </span>
      <div>
        <Link to={buildPath(app.id, 'integrations', one.id)}>
          <b className="mono">
            <Name text={one.name} />
          </b>
        </Link>
        <small>
          <Name text={summarize(registry, one)} />
        </small>
      </div>
      <small className={styles.users}>
        <Name text={usedText(one.usedBy)} />
      </small>
      <small className="num">{waiting && `${waiting} waiting`}</small>
      <div>
        <HealthMark health={one.health} />
        <small>{formatLastHour(one.health)}</small>
      </div>
      {one.health.verdict === 'failing' && (
        <NoteBox tone="red" title={one.health.lastError ?? 'Its attempts fail.'} />
      )}
      {one.state === 'needs_attention' && (
        <NoteBox tone="amber" title={one.stateReason ?? 'The provider rejected its credentials.'}>
          {waiting
            ? `${waiting} waiting ${waiting === '1' ? 'message' : 'messages'} will be sent once it works.`
            : 'Messages wait until you save new credentials or a test passes.'}
        </NoteBox>
      )}
      {one.problems.length > 0 && (
        <NoteBox tone="amber" title="Its settings are no longer valid.">
          {describeProblems(registry, one)}
        </NoteBox>
      )}
    </li>
  );
}

/** Provider, sender and last characters of the secret, to tell integrations apart. */
function summarize(registry: RegistryAnswer, one: IntegrationAnswer): string {
  const plain = Object.values(one.settings).filter((value) => typeof value === 'string');
  const last4 = Object.values(one.credentials).find((credential) => credential.last4)?.last4;
  return [getProviderLabel(registry, one), ...plain.slice(0, 1), last4 && `…${last4}`]
    .filter(Boolean)
    .join(', ');
}

export function getProviderLabel(registry: RegistryAnswer, one: IntegrationAnswer): string {
  return findProvider(registry, one)?.label ?? one.provider;
}

function findProvider({ channels }: RegistryAnswer, { channel, provider }: IntegrationAnswer) {
  const channelForm = channels.find((one) => one.channel === channel);
  return channelForm?.providers.find((one) => one.provider === provider);
}

/** Problems of the stored settings, with the labels of the form. */
function describeProblems(registry: RegistryAnswer, one: IntegrationAnswer): string {
  const provider = findProvider(registry, one);
  const fields = provider ? Object.values(listFormFields(provider)).flat() : [];
  const sentences = one.problems.map(({ path, problem }) => {
    const field = fields.find((each) => path.endsWith(`.${each.path}`));
    return toSentence(field?.label ?? formatFieldName(path), problem);
  });
  return sentences.join(' ');
}

function usedText(usedBy: UsedBy[]): string {
  if (usedBy.length === 0) return 'not used';
  const names = usedBy.slice(0, 2).map(({ name }) => name);
  return usedBy.length > 2 ? `${names.join(', ')}, +${usedBy.length - 2}` : names.join(', ');
}
