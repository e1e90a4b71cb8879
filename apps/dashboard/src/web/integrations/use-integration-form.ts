import { useEffect, useEffectEvent, useState } from 'react';
import { useNavigate } from 'react-router';
import type { IntegrationAnswer, TestConnectionAnswer } from '../../api/integrations';
import type { PageProblem } from '../api';
import { useApp, useServices } from '../context';
import { useForm } from '../parts/use-form';
import { buildPath } from '../route';
import { buildBody, getInitialValues, listFormFields, type ProviderSelection } from './form-values';

type FormSubject = {
  selection: ProviderSelection;
  stored: IntegrationAnswer | undefined;
  onChanged: () => Promise<void>;
};

/** The form of an integration, and what its buttons do. */
export function useIntegrationForm({ selection, stored, onChanged }: FormSubject) {
  const app = useApp();
  const { api } = useServices();
  const navigate = useNavigate();
  const fields = listFormFields(selection.provider);
  const form = useForm(getInitialValues(fields, stored));
  // It belongs to the data in the form; a later read may contain another operator's change.
  const [updatedAt, setUpdatedAt] = useState(stored?.updatedAt ?? 0);
  const [outcome, setOutcome] = useState<{ tested?: TestConnectionAnswer; hasSaved?: boolean }>({});
  const place = { appId: app.id };
  const kind = { channel: selection.channel.channel, provider: selection.provider.provider };
  useShowStoredProblems(form.showProblem, stored);

  const save = form.submit(
    async (values) => {
      const body = buildBody(fields, values, stored);
      return stored
        ? api.call('PUT /api/apps/:appId/integrations/:id', {
            ...place,
            id: stored.id,
            body: { ...body, updatedAt },
          })
        : api.call('POST /api/apps/:appId/integrations', { ...place, body: { ...kind, ...body } });
    },
    async (answer) => {
      form.reset(getInitialValues(fields, answer));
      setUpdatedAt(answer.updatedAt);
      setOutcome({ hasSaved: true });
      await onChanged();
      if (!stored) void navigate(buildPath(app.id, 'integrations', answer.id));
    },
  );

  const test = form.submit(
    (values) => {
      const { name: _, ...body } = buildBody(fields, values, stored);
      return api.call('POST /api/apps/:appId/integrations/test', {
        ...place,
        body: { ...(stored ? { id: stored.id } : {}), ...kind, ...body },
      });
    },
    async (tested) => {
      setOutcome({ tested });
      if (!stored || !tested.isWorking) return;
      // Only a test of the stored integration reactivates it.
      await api.call('POST /api/apps/:appId/integrations/:id/test', { ...place, id: stored.id });
      await onChanged();
    },
  );

  /** An old result says nothing about the next try. */
  const withoutOutcome = (act: () => Promise<void>) => () => {
    setOutcome({});
    return act();
  };
  return { form, save: withoutOutcome(save), test: withoutOutcome(test), outcome };
}

/** Shows what is wrong with the stored settings, for example after an upgrade of Belfry. */
function useShowStoredProblems(
  showProblem: (problem: PageProblem) => void,
  stored: IntegrationAnswer | undefined,
) {
  const showStored = useEffectEvent(() => {
    if (!stored || stored.problems.length === 0) return;
    showProblem({ code: 'invalid', error: '', fields: stored.problems });
  });
  // Only when the form opens.
  useEffect(() => showStored(), []);
}
