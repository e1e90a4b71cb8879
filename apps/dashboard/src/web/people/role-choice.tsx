import type { Role } from '../../api/session';
import { Segments } from '../parts/controls';

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

export function RoleChoice({ role, onChange }: { role: Role; onChange: (role: Role) => void }) {
  return (
    <div className="field">
      <div className="field-head">
        <span>Role</span>
      </div>
      <Segments label="Role" options={roles} value={role} onChange={onChange} />
      <div className="hint">{means[role]}</div>
    </div>
  );
}
