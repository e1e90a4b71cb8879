import { resetOperator } from '@belfry/database';
import { isUuid } from '@belfry/shared';
import { type Command, exitCodes } from './cli';
import { withDatabase } from './open-database';

/** `belfry operator reset EMAIL [ACCOUNT_ID]` */
export const operatorCommand: Command = {
  usage: 'operator reset EMAIL [ACCOUNT_ID]',
  summary: 'end the sessions of an operator and print a link for a new password',
  async run({ env, args, out, err }) {
    const [verb, email, accountId, ...rest] = args;
    const isAccount = accountId === undefined || isUuid(accountId);
    if (verb !== 'reset' || !email || !isAccount || rest.length > 0) {
      err('Usage: belfry operator reset EMAIL [ACCOUNT_ID]');
      return exitCodes.usage;
    }
    const reset = await withDatabase(env, ({ prisma }) =>
      resetOperator(prisma, { email: email.trim(), accountId }),
    );
    if (!reset) {
      err(`There is no operator with the e-mail address ${email}${accountId ? ' there' : ''}.`);
      return exitCodes.failed;
    }
    if ('accounts' in reset) {
      err(`${email} is an operator of several accounts. Add the id of one:`);
      for (const { id, name } of reset.accounts) err(`  ${id}  ${name}`);
      return exitCodes.failed;
    }
    // Behind the #, where no proxy logs it.
    out(`${env.DASHBOARD_URL.replace(/(?<!\/)\/+$/, '')}/set-up#${reset.token}`);
    out(
      `It works once, until ${reset.expiresAt.toISOString()}. Every session of ${email} in the account ${reset.accountName} was ended.`,
    );
    return exitCodes.ok;
  },
};
