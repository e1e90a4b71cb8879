import type { AlertRuleAnswer, AlertRuleListAnswer } from '../../api/alerts';
import { useAnswer } from '../answers';
import { useApp, useServices } from '../context';
import { FormDialog } from '../parts/form-dialog';
import { useForm } from '../parts/use-form';
import { RuleFields } from './rule-fields';
import { toRuleBody, toRuleValues } from './rule-values';

/** Creates a rule, or changes one. */
export function RuleDialog({
  rule,
  onClose,
  onChanged,
}: {
  rule: AlertRuleAnswer | undefined;
  onClose: () => void;
  onChanged: (list: AlertRuleListAnswer) => void;
}) {
  const { api } = useServices();
  const appId = useApp().id;
  const integrations = useAnswer('GET /api/apps/:appId/integrations', { appId });
  const form = useForm(toRuleValues(rule));
  const submit = form.submit(
    (values) => {
      const body = toRuleBody(values);
      return rule
        ? api.call('PUT /api/apps/:appId/alerts/:id', {
            appId,
            id: rule.id,
            body: { ...body, updatedAt: rule.updatedAt },
          })
        : api.call('POST /api/apps/:appId/alerts', { appId, body });
    },
    (list) => {
      onChanged(list);
      onClose();
    },
  );
  return (
    <FormDialog
      title={rule ? 'Change alert rule' : 'Create alert rule'}
      form={form}
      onSubmit={submit}
      onClose={onClose}
      action={rule ? 'Save' : 'Create rule'}
      isDisabled={form.isSubmitting || !integrations.value}
      unsaved="the alert rule"
      leastChanges={rule ? 1 : 3}
    >
      <RuleFields
        kind={form.watch('kind')}
        integrations={integrations.value?.integrations ?? []}
        targets={{
          sendBy: form.watch('sendBy.integrationId'),
          fallback: form.watch('fallback.integrationId'),
        }}
      />
    </FormDialog>
  );
}
