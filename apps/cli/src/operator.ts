import { resetOperator } from '@belfry/database';
import { isUuid } from '@belfry/shared';
import { type Command, exitCodes, UsageError } from './cli';
import { withDatabase } from './open-database';

/** `belfry operator reset EMAIL [ACCOUNT_ID]` */
export const operatorCommand: Command = {
  help: {
    usage: ['operator reset EMAIL [ACCOUNT_ID]'],
    summary: 'End all sessions of an operator and print a link to set a new password',
    arguments: {
      EMAIL: 'E-mail address of the operator.',
      ACCOUNT_ID: 'ID of the account, if the operator belongs to several.',
    },
    failure:
      'No operator has this address, or several accounts have one and ACCOUNT_ID is missing.',
    example: 'operator reset ana@example.com',
  },
  async run({ env, args, out, err }) {
    const { email, accountId } = readArguments(args);
    const reset = await withDatabase(env, ({ accepting }) =>
      resetOperator(accepting, { email: email.trim(), accountId }),
    );
    if (!reset) {
      err(`No operator${accountId ? ' of this account' : ''} has the e-mail address ${email}.`);
      return exitCodes.failed;
    }
    if ('accounts' in reset) {
      err(`${email} is an operator of several accounts. Add the ID of one:`);
      for (const { id, name } of reset.accounts) err(`  ${id}  ${name}`);
      return exitCodes.failed;
    }
    // The token is in the fragment, which browsers do not send, so no proxy logs it.
    out(`${env.DASHBOARD_URL.replace(/(?<!\/)\/+$/, '')}/set-up#${reset.token}`);
    out(
      `The link works once, until ${reset.expiresAt.toISOString()}. All sessions of ${email} in the account ${reset.accountName} were ended.`,
    );
    return exitCodes.ok;
  },
};

function readArguments([verb, email, accountId, ...rest]: string[]) {
  if (verb !== 'reset') throw new UsageError('Enter `reset` after `operator`.');
  if (!email) throw new UsageError('Enter the e-mail address of an operator.');
  if (rest.length > 0) throw new UsageError('Enter one e-mail address and one account ID.');
  if (accountId !== undefined && !isUuid(accountId)) {
    throw new UsageError(`"${accountId}" is not an account ID (a UUID).`);
  }
  return { email, accountId };
}
