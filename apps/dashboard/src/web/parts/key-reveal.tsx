import type { Api, Result } from '../api';
import { useServices } from '../context';
import { PasswordDialog } from './password-dialog';
import { useForm } from './use-form';

/** Asks for the password and returns the newest active key. */
export function KeyReveal({
  onKey,
  onClose,
}: {
  onKey: (key: string) => void;
  onClose: () => void;
}) {
  const { api } = useServices();
  const form = useForm({ password: '' });
  return (
    <PasswordDialog
      form={form}
      title="Show API key"
      action="Show key"
      text="Anyone with the key can make calls. Confirm with your password."
      send={({ password }) => readActiveKey(api, password)}
      onDone={({ key }) => onKey(key)}
      onClose={onClose}
    />
  );
}

async function readActiveKey(api: Api, password: string): Promise<Result<{ key: string }>> {
  const listed = await api.call('GET /api/keys');
  if ('problem' in listed) return listed;
  const active = listed.value.keys.find(({ state }) => state === 'active');
  if (active) return api.call('POST /api/keys/:id/show', { id: active.id, body: { password } });
  return {
    problem: { code: 'not_found', error: 'No key is active. Create one under API keys.' },
  };
}
