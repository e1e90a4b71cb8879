import { resetOperator } from '@belfry/database';
import { type Command, exitCodes } from './cli';
import { withDatabase } from './open-database';

/** `belfry operator reset EMAIL` */
export const operatorCommand: Command = {
  usage: 'operator reset EMAIL',
  summary: 'end the sessions of an operator and print a link for a new password',
  async run({ env, args, out, err }) {
    const [verb, email, ...rest] = args;
    if (verb !== 'reset' || !email || rest.length > 0) {
      err('Usage: belfry operator reset EMAIL');
      return exitCodes.usage;
    }
    const reset = await withDatabase(env, ({ prisma }) => resetOperator(prisma, email.trim()));
    if (!reset) {
      err(`There is no operator with the e-mail address ${email}.`);
      return exitCodes.failed;
    }
    // Behind the #, where no proxy logs it.
    out(`${env.DASHBOARD_URL.replace(/(?<!\/)\/+$/, '')}/set-up#${reset.token}`);
    out(
      `It works once, until ${reset.expiresAt.toISOString()}. Every session of ${email} was ended.`,
    );
    return exitCodes.done;
  },
};
