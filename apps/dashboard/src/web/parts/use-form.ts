import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import {
  type Control,
  type DefaultValues,
  type FieldValues,
  get,
  type Path,
  type PathValue,
  type UseFormReturn,
  useForm as useHookForm,
} from 'react-hook-form';
import { formatFieldName, toSentence } from '../../api/field-problem';
import type { FieldProblem } from '../../api/problem';
import type { PageProblem, Result } from '../api';

/** The fields of a form that are on the page: their labels by name, in the order of the page. */
export type Labels = Map<string, string>;
/** The parts of a form that its fields use. */
export type Fields = { control: Control; labels: Labels };

/** Something that the operator would lose by leaving. */
export type Unsaved = {
  /** A submitted form is not unsaved: its own code may leave the page. */
  isUnsaved: () => boolean;
  /** Labels of the changed fields. */
  listChanged: () => string[];
};

export type Form<Values extends FieldValues> = Unsaved & {
  fields: Fields;
  element: RefObject<HTMLFormElement | null>;
  /** A problem that belongs to no field. */
  problem: PageProblem | undefined;
  isDirty: boolean;
  isSubmitting: boolean;
  /** The current value of a field; the component renders again when it changes. */
  watch: <Name extends Path<Values>>(name: Name) => PathValue<Values, Name>;
  /** Keeps only the values that the operator changed, so that a save keeps what others changed meanwhile. */
  pickChanged: (values: Values) => Partial<Values>;
  /** Replaces the values. They count as saved. */
  reset: (values: Values) => void;
  /** After a save: `stored` counts as saved, and what was typed since `sent` stays. */
  settle: (stored: Values, sent: Values) => void;
  /** Shows the problems of an answer beside the fields that they name, and any other above the form. */
  showProblem: (problem: PageProblem | undefined) => void;
  /** Checks the fields, then sends them. Then the first wrong field has the focus, or a note is in sight. */
  submit: <Answer>(
    send: (values: Values) => Promise<Result<Answer>>,
    onDone: (answer: Answer) => unknown,
  ) => () => Promise<void>;
};

/** State of a form: React Hook Form, the problems of the server, and the focus on the first wrong field. */
export function useForm<Values extends FieldValues>(defaultValues: Values): Form<Values> {
  const hook = useHookForm<Values>({
    defaultValues: defaultValues as DefaultValues<Values>,
    shouldFocusError: false,
  });
  const { isDirty, isSubmitting, submitCount, dirtyFields } = hook.formState;
  const [labels] = useState<Labels>(() => new Map());
  const [problem, setProblem] = useState<PageProblem>();
  const element = useRef<HTMLFormElement>(null);
  const isSending = useRef(false);
  useLayoutEffect(() => {
    if (submitCount === 0) return;
    const field = element.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
    if (field) field.focus();
    else element.current?.querySelector('.note-box')?.scrollIntoView({ block: 'nearest' });
  }, [submitCount]);

  function showProblem(next: PageProblem | undefined) {
    const { byField, others } = sortProblems(next?.fields ?? [], labels);
    for (const [name, message] of byField) {
      hook.setError(name as Path<Values>, { type: 'server', message });
    }
    if (!next || (byField.size > 0 && others.length === 0)) return setProblem(undefined);
    setProblem(others.length === 0 ? next : { ...next, error: others.join(' ') });
  }

  function submit<Answer>(
    send: (values: Values) => Promise<Result<Answer>>,
    onDone: (answer: Answer) => unknown,
  ) {
    async function run(values: Values) {
      if (isSending.current) return;
      isSending.current = true;
      try {
        const result = await send(values);
        showProblem('problem' in result ? result.problem : undefined);
        if ('value' in result) await onDone(result.value);
      } finally {
        isSending.current = false;
      }
    }
    return () => hook.handleSubmit(run, () => setProblem(undefined))();
  }

  return {
    // Fields are found by name, whatever the type of the values.
    fields: { control: hook.control as unknown as Control, labels },
    element,
    problem,
    isDirty,
    isSubmitting,
    isUnsaved: () => isDirty && !isSending.current,
    listChanged: () =>
      [...labels].filter(([name]) => get(dirtyFields, name)).map(([, label]) => label),
    watch: (name) => hook.watch(name),
    pickChanged: (values) => {
      const changed = Object.entries(values).filter(([name]) => get(dirtyFields, name));
      // Entries of the values.
      return Object.fromEntries(changed) as Partial<Values>;
    },
    reset: (values) => hook.reset(values),
    settle: (stored, sent) => settle(hook, stored, sent),
    showProblem,
    submit,
  };
}

function settle<Values extends FieldValues>(
  hook: UseFormReturn<Values>,
  stored: Values,
  sent: Values,
): void {
  const typed = Object.entries(hook.getValues()).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(sent[name]),
  );
  hook.reset(stored);
  for (const [name, value] of typed) {
    hook.setValue(name as Path<Values>, value, { shouldDirty: true });
  }
}

/** The first problem of each field as a sentence, and sentences for the problems of unknown fields. */
function sortProblems(problems: readonly FieldProblem[], labels: Labels) {
  const byField = new Map<string, string>();
  const others: string[] = [];
  for (const { path, problem } of problems) {
    const name = findName([...labels.keys()], path);
    if (name === undefined) others.push(toSentence(formatFieldName(path), problem));
    else if (!byField.has(name)) byField.set(name, toSentence(labels.get(name) ?? '', problem));
  }
  return { byField, others };
}

/** The field of a path: the same, one inside of a missing object, or the one that holds the value at the path. */
function findName(names: readonly string[], path: string): string | undefined {
  return (
    names.find((name) => name === path) ??
    names.find((name) => name.startsWith(`${path}.`)) ??
    names.find((name) => path.startsWith(`${name}.`))
  );
}
