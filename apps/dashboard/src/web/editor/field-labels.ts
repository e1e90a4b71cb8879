import { formatFieldName, toSentence } from '../../api/field-problem';
import type { PublishProblem } from '../../api/problem';
import type { RegistryAnswer } from '../../api/registry';
import { listSchemaFields } from '../integrations/schema-fields';

/** The label of a template field, as its input shows it: `from.address` is "From address". */
export function getFieldLabel({ channels }: RegistryAnswer, channel: string, path: string): string {
  const form = channels.find((one) => one.channel === channel);
  const fields = form ? listSchemaFields(form.template) : [];
  const names = path.replaceAll(/\[(\d+)\]/g, '.$1');
  const field = fields.find((one) => names === one.path || names.startsWith(`${one.path}.`));
  if (!field) return formatFieldName(names);
  const rest = names.slice(field.path.length + 1);
  return rest ? `${field.label}, ${formatInside(rest)}` : field.label;
}

/** A problem of a template as a sentence that names its field. */
export function describeProblem(
  registry: RegistryAnswer,
  channel: string,
  { field, problem }: PublishProblem,
): string {
  return field ? toSentence(getFieldLabel(registry, channel, field), problem) : problem;
}

/** A place inside of a list: `0.url` is "number 1, url". */
function formatInside(path: string): string {
  return path
    .split('.')
    .map((name) => (/^\d+$/.test(name) ? `number ${Number(name) + 1}` : name.replaceAll('_', ' ')))
    .join(', ');
}
