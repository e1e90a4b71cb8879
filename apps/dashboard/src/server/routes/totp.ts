import type { ConfirmPassword } from '../confirm-password';
import type { Handlers, SignedInCall } from '../route';
import type { Totp } from '../totp';

export type TotpHandlersDeps = { totp: Totp; confirmPassword: ConfirmPassword };

/** Two-step sign-in of the operator. A stolen session must not change it, so changes need the password and a code. */
export function createTotpHandlers({ totp, confirmPassword }: TotpHandlersDeps) {
  async function confirmBoth(
    { req, session, actor }: SignedInCall,
    { password, code }: { password: string; code: string },
  ) {
    await confirmPassword(session, password);
    const self = { ...actor, operatorId: session.operator.id };
    await totp.checkCode({ req, self, code });
    return self;
  }

  return {
    async 'GET /api/totp'({ session }) {
      const row = await totp.find(session.operator.id);
      return {
        addedAt: row?.confirmedAt?.getTime() ?? null,
        recoveryCodesLeft: row?.recoveryCodesLeft ?? 0,
      };
    },

    async 'POST /api/totp'({ session, actor, body }) {
      await confirmPassword(session, body.password);
      const self = { ...actor, operatorId: session.operator.id };
      return totp.start(self, `${session.operator.email} (${session.account.name})`);
    },

    async 'POST /api/totp/confirm'({ req, session, actor, body }) {
      const self = { ...actor, operatorId: session.operator.id };
      const call = { req, self, code: body.code };
      return { recoveryCodes: await totp.confirm(call, session.tokenHash) };
    },

    async 'POST /api/totp/recovery-codes'(call) {
      const self = await confirmBoth(call, call.body);
      return { recoveryCodes: await totp.replaceRecoveryCodes(self) };
    },

    async 'DELETE /api/totp'(call) {
      await totp.remove(await confirmBoth(call, call.body), call.session.tokenHash);
      return { success: true };
    },
  } satisfies Partial<Handlers>;
}
