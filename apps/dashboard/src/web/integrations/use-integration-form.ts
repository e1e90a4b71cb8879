import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import type { IntegrationAnswer } from '../../api/integrations';
import type { PageProblem, Result } from '../api';
import { useApp, useServices } from '../context';
import { type Form, useForm } from '../parts/use-form';
import { buildPath } from '../route';
import {
  buildBody,
  type FormValues,
  getInitialValues,
  isSameTest,
  listFormFields,
  type ProviderSelection,
} from './form-values';
import type { Outcome } from './test-result';

type FormSubject = {
  selection: ProviderSelection;
  stored: IntegrationAnswer | undefined;
  onChanged: () => Promise<void>;
};

/** The form of an integration, and what its buttons do. */
export function useIntegrationForm(subject: FormSubject) {
  const { selection, stored, onChanged } = subject;
  const app = useApp();
  const navigate = useNavigate();
  const calls = useCalls(subject);
  const fields = listFormFields(selection.provider);
  const form = useForm(getInitialValues(fields, stored));
  const { saved, setSaved, isChangedElsewhere } = useSaved(form, fields, stored);
  const [outcome, setOutcome] = useState<Outcome>({});
  const testedValues = useRef<FormValues>(undefined);
  const isSame = (left: FormValues, right: FormValues) => isSameTest(fields, left, right);
  useShowStoredProblems(form.showProblem, stored);

  /** Only this result counts for the health. */
  async function testStored(id: string) {
    const answer = await calls.testStored(id);
    await onChanged();
    return answer;
  }

  const save = form.submit(
    async (values) => withValues(values, await calls.save(values, saved.updatedAt)),
    async ({ values, answer }) => {
      const newValues = getInitialValues(fields, answer);
      form.settle(newValues, values);
      setSaved({ updatedAt: answer.updatedAt, values: newValues });
      setOutcome({ hasSaved: true });
      await onChanged();
      if (!stored) void navigate(buildPath(app.id, 'integrations', answer.id));
      const wasTested = testedValues.current && isSame(values, testedValues.current);
      if (wasTested) void testStored(answer.id);
    },
  );

  const test = form.submit(
    async (values) => {
      testedValues.current = values;
      // The form shows what it tests.
      const isSaved = stored !== undefined && !isChangedElsewhere && isSame(values, saved.values);
      return withValues(values, await (isSaved ? testStored(stored.id) : calls.testForm(values)));
    },
    ({ values, answer }) => {
      const isUnsaved = stored !== undefined && !isSame(values, saved.values);
      setOutcome({ tested: answer, isUnsaved });
    },
  );

  /** An old result says nothing about the next try. */
  const withoutOutcome = (act: () => Promise<void>) => () => {
    setOutcome({});
    return act();
  };
  return {
    form,
    save: withoutOutcome(save),
    test: withoutOutcome(test),
    outcome,
    /** Another operator saved it after the form was filled, and values were typed into the form. */
    isChangedElsewhere,
    replaceKeys: () => calls.replaceKeys(saved.updatedAt),
    /** Values that were typed into the form stay. */
    keepNewKeys({ updatedAt }: IntegrationAnswer) {
      setSaved({ ...saved, updatedAt });
      return onChanged();
    },
  };
}

/** The answer with the values that were sent: the operator may type meanwhile. */
function withValues<T>(values: FormValues, result: Result<T>) {
  return 'value' in result ? { value: { values, answer: result.value } } : result;
}

/** The calls of the form to the server. */
function useCalls({ selection, stored }: FormSubject) {
  const app = useApp();
  const { api } = useServices();
  const fields = listFormFields(selection.provider);
  const place = { appId: app.id };
  const kind = { channel: selection.channel.channel, provider: selection.provider.provider };
  return {
    save(values: FormValues, updatedAt: number) {
      const body = buildBody(fields, values, stored);
      return stored
        ? api.call('PUT /api/apps/:appId/integrations/:id', {
            ...place,
            id: stored.id,
            body: { ...body, updatedAt },
          })
        : api.call('POST /api/apps/:appId/integrations', { ...place, body: { ...kind, ...body } });
    },
    /** Belfry makes new ones in place of the keys that it made. */
    replaceKeys: (updatedAt: number) =>
      api.call('PUT /api/apps/:appId/integrations/:id', {
        ...{ ...place, id: stored?.id ?? '' },
        body: { updatedAt, credentials: { public_key: null, private_key: null } },
      }),
    testForm(values: FormValues) {
      const { name: _, ...body } = buildBody(fields, values, stored);
      return api.call('POST /api/apps/:appId/integrations/test', {
        ...place,
        body: { ...(stored ? { id: stored.id } : {}), ...kind, ...body },
      });
    },
    testStored: (id: string) =>
      api.call('POST /api/apps/:appId/integrations/:id/test', { ...place, id }),
  };
}

/**
 * The saved values that the form was filled from. A later change by another operator is shown if nothing was typed here;
 * otherwise it is named.
 */
function useSaved(
  form: Form<FormValues>,
  fields: ReturnType<typeof listFormFields>,
  stored: IntegrationAnswer | undefined,
) {
  const [saved, setSaved] = useState(() => ({
    updatedAt: stored?.updatedAt ?? 0,
    values: getInitialValues(fields, stored),
  }));
  const isChangedElsewhere = stored !== undefined && stored.updatedAt > saved.updatedAt;
  const showStored = useEffectEvent(() => {
    const values = getInitialValues(fields, stored);
    form.reset(values);
    setSaved({ updatedAt: stored?.updatedAt ?? 0, values });
  });
  const mayShow = isChangedElsewhere && !form.isDirty;
  useEffect(() => {
    if (mayShow) showStored();
  }, [mayShow]);
  return { saved, setSaved, isChangedElsewhere };
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
