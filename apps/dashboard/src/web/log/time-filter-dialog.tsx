import { describeZone, parseInput } from '../dates';
import { Field } from '../parts/field';
import { useField } from '../parts/form';
import { FormDialog } from '../parts/form-dialog';
import { useForm } from '../parts/use-form';
import { isTime, type PageFilters } from './filters';

type Times = { from: string; to: string };

/** Filters the log by a start, an end or both. */
export function TimeFilterDialog({
  onSet,
  onClose,
}: {
  onSet: (change: PageFilters) => void;
  onClose: () => void;
}) {
  const form = useForm<Times>({ from: '', to: '' });
  const [from, to] = [form.watch('from'), form.watch('to')];
  /** The browser reports a date without a time as an empty value. */
  const isIncomplete = (name: keyof Times) => {
    const input = form.element.current?.elements.namedItem(name);
    return input instanceof HTMLInputElement && input.validity.badInput;
  };
  function checkFrom(text: string): string | undefined {
    if (isIncomplete('from')) return 'From needs a date and a time.';
    if (text === '' && to === '') return 'Enter a time in From, in To, or in both.';
    return checkRange('From', text);
  }
  function checkTo(text: string): string | undefined {
    if (isIncomplete('to')) return 'To needs a date and a time.';
    if (parseInput(from) >= parseInput(text)) return 'To must be after From.';
    return checkRange('To', text);
  }
  function apply(times: Times) {
    onClose();
    onSet({ last: '', from: toFilter(times.from), to: toFilter(times.to) });
  }
  return (
    <FormDialog
      title="Filter by time"
      form={form}
      onSubmit={form.submit((value) => Promise.resolve({ value }), apply)}
      onClose={onClose}
      action="Apply"
    >
      <p>Enter a start, an end or both. Times are in {describeZone()}.</p>
      <TimeField name="from" label="From" check={checkFrom} />
      <TimeField name="to" label="To" check={checkTo} />
    </FormDialog>
  );
}

function toFilter(text: string): string {
  return text === '' ? '' : String(parseInput(text));
}

function checkRange(label: string, text: string): string | undefined {
  return text === '' || isTime(toFilter(text))
    ? undefined
    : `${label} must be between the years 1970 and 9999.`;
}

function TimeField({
  name,
  label,
  check,
}: {
  name: keyof Times;
  label: string;
  check: (text: string) => string | undefined;
}) {
  const { field, set, problem } = useField<string>(name, label, check);
  return (
    <Field
      {...field}
      type="datetime-local"
      step="1"
      label={label}
      problem={problem}
      onChange={({ target }) => set(target.value)}
    />
  );
}
