import type { AlertRuleAnswer } from '../../api/alerts';
import { useSession } from '../context';
import { Button } from '../parts/controls';
import { Moment } from '../parts/moment';
import { NoteBox } from '../parts/notes';
import stacked from '../parts/stacked-rows.module.css';
import { State } from '../parts/state-mark';
import { type Column, Table } from '../parts/table';
import styles from './alerts.module.css';

export type RuleAction = 'change' | 'test' | 'enable' | 'disable' | 'remove';
type OnAction = (action: RuleAction, rule: AlertRuleAnswer) => void;

/** The rules with their state; a firing one with its facts. */
export function RuleTable({
  rules,
  names,
  onAction,
}: {
  rules: readonly AlertRuleAnswer[];
  /** Names of integrations by ID; undefined until they are read. */
  names: ReadonlyMap<string, string> | undefined;
  onAction: OnAction;
}) {
  const { mayChange } = useSession();
  const columns: Column<AlertRuleAnswer>[] = [
    ...ruleColumns,
    {
      header: 'Sent by',
      cell: ({ sendBy, fallback }) => (
        <span data-label="sent by">
          {names &&
            ([sendBy, fallback]
              .flatMap((each) => (each ? [names.get(each.integrationId) ?? 'a removed one'] : []))
              .join(', else ') ||
              'nobody')}
        </span>
      ),
    },
    {
      header: 'Actions',
      isHeaderHidden: true,
      className: `right ${styles.actions} ${stacked.line}`,
      cell: (rule) => mayChange && <RuleActions rule={rule} onAction={onAction} />,
    },
  ];
  return (
    <Table
      caption="Alert rules"
      className={`wide-rows ${stacked.rows}`}
      columns={columns}
      rows={rules}
      getKey={({ id }) => id}
      renderDetail={({ firingSince, sentence }) =>
        firingSince !== null && <NoteBox tone="red">{sentence}</NoteBox>
      }
    />
  );
}

const ruleColumns: Column<AlertRuleAnswer>[] = [
  {
    header: 'Rule',
    className: stacked.text,
    isRowHeader: true,
    sortBy: ({ phrase }) => phrase,
    cell: ({ phrase }) => phrase,
  },
  {
    header: 'State',
    className: `${styles.state} ${stacked.text}`,
    cell: (rule) => <RuleState rule={rule} />,
  },
];

function RuleState({ rule: { isEnabled, firingSince } }: { rule: AlertRuleAnswer }) {
  if (!isEnabled) return <State name="paused">disabled</State>;
  if (firingSince === null) return <State name="delivered">ok</State>;
  return (
    <State name="failed">
      firing since <Moment at={firingSince} />
    </State>
  );
}

function RuleActions({ rule, onAction }: { rule: AlertRuleAnswer; onAction: OnAction }) {
  const { phrase, isEnabled, sendBy } = rule;
  const actions: { action: RuleAction; text: string }[] = [
    ...(sendBy ? [{ action: 'test' as const, text: 'Test' }] : []),
    { action: 'change', text: 'Change' },
    isEnabled ? { action: 'disable', text: 'Disable' } : { action: 'enable', text: 'Enable' },
    { action: 'remove', text: 'Remove' },
  ];
  return (
    <span className="row-acts">
      {actions.map(({ action, text }) => (
        <Button
          key={action}
          look="small"
          aria-label={`${text} ${phrase}`}
          onClick={() => onAction(action, rule)}
        >
          {text}
        </Button>
      ))}
    </span>
  );
}
