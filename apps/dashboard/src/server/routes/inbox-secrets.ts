import { type InboxSecretRow, type InboxSecrets, maxActiveSecrets } from '@belfry/database';
import type { InboxSecretAnswer, InboxSecretList } from '../../api/inbox-secrets';
import type { ConfirmPassword } from '../confirm-password';
import { notFound, Refusal } from '../problem';
import { type Handlers, readId } from '../route';

export type InboxSecretHandlersDeps = {
  inboxSecrets: InboxSecrets;
  confirmPassword: ConfirmPassword;
};

/** Inbox secrets of an app. Showing or changing them requires the password. */
export function createInboxSecretHandlers({
  inboxSecrets,
  confirmPassword,
}: InboxSecretHandlersDeps) {
  async function list(appId: string): Promise<InboxSecretList> {
    const rows = await inboxSecrets.list(appId);
    return { secrets: rows.map(toAnswer), maxActive: maxActiveSecrets };
  }

  return {
    'GET /api/apps/:appId/inbox-secrets': ({ app }) => list(app.id),

    async 'POST /api/apps/:appId/inbox-secrets'({ session, actor, app, body }) {
      await confirmPassword(session, body.password);
      const created = await inboxSecrets.create({ ...actor, appId: app.id });
      if (created) return created;
      throw new Refusal('wrong_state', 'Two secrets are already active. Revoke one first.');
    },

    async 'POST /api/apps/:appId/inbox-secrets/:id/show'({ session, actor, app, path, body }) {
      await confirmPassword(session, body.password);
      const id = readId(path.id, 'secret');
      const secret = await inboxSecrets.show({ ...actor, appId: app.id }, id);
      if (secret === undefined) throw notFound('secret');
      return { id, secret };
    },

    async 'POST /api/apps/:appId/inbox-secrets/:id/revoke'({ session, actor, app, path, body }) {
      await confirmPassword(session, body.password);
      const id = readId(path.id, 'secret');
      if (!(await inboxSecrets.revoke({ ...actor, appId: app.id }, id))) throw notFound('secret');
      return list(app.id);
    },
  } satisfies Partial<Handlers>;
}

function toAnswer({ id, createdAt, revokedAt }: InboxSecretRow): InboxSecretAnswer {
  return { id, createdAt: createdAt.getTime(), revokedAt: revokedAt?.getTime() ?? null };
}
