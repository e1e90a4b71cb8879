import { resetOperator, resetOperatorTotp } from '@belfry/database';
import { isUuid } from '@belfry/shared';
import { type Command, type CommandCall, type ExitCode, exitCodes, UsageError } from './cli';
import { withDatabase } from './open-database';

/** `belfry operator reset EMAIL [ACCOUNT_ID]` and `belfry operator reset-totp EMAIL [ACCOUNT_ID]` */
export const operatorCommand: Command = {
  help: {
    usage: ['operator reset EMAIL [ACCOUNT_ID]', 'operator reset-totp EMAIL [ACCOUNT_ID]'],
    summary:
      'End all sessions of an operator and print a link to set a new password, or turn off two-step sign-in',
    arguments: {
      EMAIL: 'E-mail address of the operator.',
      ACCOUNT_ID: 'ID of the account, if the operator belongs to several.',
    },
    failure:
      'No operator has this address, or several accounts have one and ACCOUNT_ID is missing.',
    example: 'operator reset ana@example.com',
  },
  async run(call) {
    const [verb, ...args] = call.args;
    if (verb === 'reset') return resetPassword(call, readArguments(args));
    if (verb === 'reset-totp') return resetTotp(call, readArguments(args));
    throw new UsageError('Enter `reset` or `reset-totp` after `operator`.');
  },
};

type OperatorChoice = { email: string; accountId: string | undefined };

async function resetPassword(call: CommandCall, choice: OperatorChoice): Promise<ExitCode> {
  const { env, out } = call;
  const reset = await withDatabase(env, ({ accepting }) => resetOperator(accepting, choice));
  if (!reset || 'accounts' in reset) return explainChoice(call, choice, reset?.accounts);
  // The token is in the fragment, which browsers do not send, so no proxy logs it.
  out(`${env.DASHBOARD_URL.replace(/(?<!\/)\/+$/, '')}/set-up#${reset.token}`);
  out(
    `The link works once, until ${reset.expiresAt.toISOString()}. All sessions of ${choice.email} in the account ${reset.accountName} were ended.`,
  );
  out('If two-step sign-in is on, it stays on. `belfry operator reset-totp` turns it off.');
  return exitCodes.ok;
}

async function resetTotp(call: CommandCall, choice: OperatorChoice): Promise<ExitCode> {
  const { env, out } = call;
  const reset = await withDatabase(env, ({ accepting }) => resetOperatorTotp(accepting, choice));
  if (!reset || 'accounts' in reset) return explainChoice(call, choice, reset?.accounts);
  const operator = `${choice.email} in the account ${reset.accountName}`;
  out(
    reset.wasOn
      ? `Two-step sign-in of ${operator} is off. All their sessions were ended.`
      : `Two-step sign-in of ${operator} was not on. Nothing changed.`,
  );
  return exitCodes.ok;
}

function explainChoice(
  { err }: CommandCall,
  { email, accountId }: OperatorChoice,
  accounts: { id: string; name: string }[] = [],
): ExitCode {
  if (accounts.length === 0) {
    err(`No operator${accountId ? ' of this account' : ''} has the e-mail address ${email}.`);
  } else {
    err(`${email} is an operator of several accounts. Add the ID of one:`);
    for (const { id, name } of accounts) err(`  ${id}  ${name}`);
  }
  return exitCodes.failed;
}

function readArguments([email = '', accountId, ...rest]: string[]): OperatorChoice {
  if (email.trim() === '') throw new UsageError('Enter the e-mail address of an operator.');
  if (rest.length > 0) throw new UsageError('Enter one e-mail address and one account ID.');
  if (accountId !== undefined && !isUuid(accountId)) {
    throw new UsageError(`"${accountId}" is not an account ID (a UUID).`);
  }
  return { email: email.trim(), accountId };
}
