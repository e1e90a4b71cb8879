import type { Role } from '../../api/session';
import { Segments } from '../parts/controls';

const roles = [
  { value: 'viewer', text: 'Viewer' },
  { value: 'editor', text: 'Editor' },
  { value: 'owner', text: 'Owner' },
] as const;

const means: Record<Role, string> = {
  viewer: 'Looks at everything, changes nothing.',
  editor:
    'Changes events, integrations and apps, resends, erases users. Not who works here, nor the API keys.',
  owner: 'Everything, and who works here.',
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
