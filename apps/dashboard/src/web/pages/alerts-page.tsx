import { useState } from 'react';
import type { AlertRuleAnswer, AlertRuleListAnswer, AlertTestAnswer } from '../../api/alerts';
import { History } from '../alerts/history';
import { RuleDialog } from '../alerts/rule-dialog';
import { type RuleAction, RuleTable } from '../alerts/rule-table';
import { useAnswer } from '../answers';
import type { PageProblem, Result } from '../api';
import { useApp, useServices, useSession } from '../context';
import { Button } from '../parts/controls';
import { Dialog } from '../parts/dialog';
import { AwayBar, NoteBox, ProblemNote, Waiting } from '../parts/notes';
import { PageHead } from '../parts/page-head';

type Step = { kind: 'change' | 'remove'; rule: AlertRuleAnswer } | { kind: 'create' };

const readEveryMs = 15_000;

/** Alert rules of the app, and the history of their incidents. */
export function AlertsPage() {
  const appId = useApp().id;
  const { mayChange } = useSession();
  const list = useAnswer('GET /api/apps/:appId/alerts', { appId }, { everyMs: readEveryMs });
  const [step, setStep] = useState<Step>();
  const actions = useRuleActions(list.set, setStep);
  const close = () => setStep(undefined);
  return (
    <div className="pane">
      <AwayBar loaded={list} reload={list.reload} />
      <PageHead
        action={
          mayChange && (
            <Button look="main-action" onClick={() => setStep({ kind: 'create' })}>
              Create rule
            </Button>
          )
        }
      >
        Belfry notifies you when a rule fires, and again when it is resolved. Reminders follow after
        1&nbsp;h, 4&nbsp;h, and then once a day.
      </PageHead>
      <ProblemNote problem={actions.problem} />
      <div role="status">{actions.test && <Test {...actions.test} />}</div>
      {list.value ? (
        <Rules rules={list.value.rules} onAction={actions.act} />
      ) : (
        <Waiting loaded={list} reload={list.reload} what="alert rules" />
      )}
      <History everyMs={readEveryMs} />
      {step?.kind === 'remove' && (
        <RemoveDialog rule={step.rule} onClose={close} onRemove={() => actions.remove(step.rule)} />
      )}
      {step && step.kind !== 'remove' && (
        <RuleDialog
          rule={step.kind === 'change' ? step.rule : undefined}
          onClose={close}
          onChanged={list.set}
        />
      )}
    </div>
  );
}

/** Actions of a row, with the last result of a test and the last problem. */
function useRuleActions(
  setList: (list: AlertRuleListAnswer) => void,
  setStep: (step: Step | undefined) => void,
) {
  const appId = useApp().id;
  const { api } = useServices();
  const [test, setTest] = useState<TestProps>();
  const [problem, setProblem] = useState<PageProblem>();

  async function change(call: Promise<Result<AlertRuleListAnswer>>) {
    const answer = await call;
    if ('value' in answer) setList(answer.value);
    else setProblem(answer.problem);
  }

  async function runTest({ id, phrase }: AlertRuleAnswer) {
    setTest({ phrase });
    const answer = await api.call('POST /api/apps/:appId/alerts/:id/test', { appId, id });
    setTest('value' in answer ? { phrase, result: answer.value } : undefined);
    if ('problem' in answer) setProblem(answer.problem);
  }

  function act(action: RuleAction, rule: AlertRuleAnswer) {
    setTest(undefined);
    setProblem(undefined);
    if (action === 'change' || action === 'remove') return setStep({ kind: action, rule });
    if (action === 'test') return void runTest(rule);
    const { id } = rule;
    void change(api.call(`POST /api/apps/:appId/alerts/:id/${action}`, { appId, id }));
  }

  function remove({ id }: AlertRuleAnswer) {
    setStep(undefined);
    void change(api.call('DELETE /api/apps/:appId/alerts/:id', { appId, id }));
  }

  return { act, remove, test, problem };
}

function Rules({
  rules,
  onAction,
}: {
  rules: readonly AlertRuleAnswer[];
  onAction: (action: RuleAction, rule: AlertRuleAnswer) => void;
}) {
  const appId = useApp().id;
  const integrations = useAnswer('GET /api/apps/:appId/integrations', { appId });
  const list = integrations.value?.integrations;
  const names = list && new Map(list.map(({ id, name }) => [id, name]));
  if (rules.length === 0) {
    return (
      <p className="nothing">
        No alert rules yet, so nobody is notified. Create one for the failure rate, for waiting
        messages, or for an integration that fails.
      </p>
    );
  }
  return <RuleTable rules={rules} names={names} onAction={onAction} />;
}

/** A test of a rule; without a result it still runs. */
type TestProps = { phrase: string; result?: AlertTestAnswer };

function Test({ phrase, result }: TestProps) {
  if (!result) return <p className="nothing">Sending a test of “{phrase}” …</p>;
  const { isSent, detail } = result;
  return (
    <div className="pad">
      <NoteBox
        tone={isSent ? 'green' : 'red'}
        title={`${isSent ? 'Test sent' : 'Test not sent'}: ${phrase}`}
      >
        {detail}
      </NoteBox>
    </div>
  );
}

function RemoveDialog({
  rule,
  onClose,
  onRemove,
}: {
  rule: AlertRuleAnswer;
  onClose: () => void;
  onRemove: () => void;
}) {
  return (
    <Dialog title="Remove alert rule" onClose={onClose}>
      <p>{rule.phrase}</p>
      <p className="dim">Its history is removed too.</p>
      <div className="dialog-foot">
        <Button look="danger" onClick={onRemove}>
          Remove
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </Dialog>
  );
}
