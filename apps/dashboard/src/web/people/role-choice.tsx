import type { Role } from '../../api/session';
import { Segments } from '../parts/controls';
import { useField } from '../parts/form';

const roles = [
  { value: 'viewer', text: 'Viewer' },
  { value: 'editor', text: 'Editor' },
  { value: 'owner', text: 'Owner' },
] as const;

const means: Record<Role, string> = {
  viewer: 'Can see everything and change nothing.',
  editor:
    'Can change events, integrations and apps, resend messages, and erase users, but not manage people or API keys.',
  owner: 'Can do everything, including managing people.',
};

/** The field `role` of a form. */
export function RoleChoice() {
  const { field, set } = useField<Role>('role', 'Role');
  return (
    <div className="field">
      <div className="field-head">
        <span>Role</span>
      </div>
      <Segments label="Role" options={roles} value={field.value} onChange={set} />
      <div className="hint">{means[field.value]}</div>
    </div>
  );
}
