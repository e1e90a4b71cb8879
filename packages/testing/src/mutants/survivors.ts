/** Mutations that the whole suite once missed, and the test that was added for each. */
const rows: Row[] = [
  {
    name: 'stored users without their app',
    file: 'packages/database/src/look-ups.ts',
    anchor: 'WHERE app_id = $1 AND user_id = ANY ($2::text[])',
    becomes: 'WHERE $1::uuid IS NOT NULL AND user_id = ANY ($2::text[])',
    path: 'packages/database/src/look-ups.int.test.ts',
    title: 'a stored user',
  },
  {
    name: 'expired API keys accepted',
    file: 'packages/database/src/look-ups.ts',
    anchor: 'revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())',
    becomes: 'revoked_at IS NULL',
    path: 'packages/database/src/look-ups.int.test.ts',
    title: 'an API key',
  },
  {
    name: 'claim with suppressions of every app',
    file: 'packages/pipeline/src/deliver/eligibility.sql.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text is the source of a template literal
    anchor: '`${p}.app_id = ${m}.app_id AND ${p}.channel',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text is the source of a template literal
    becomes: '`${p}.channel',
    path: 'packages/pipeline/src/deliver/device-claims.int.test.ts',
    title: 'is not blocked by a suppression of another app',
  },
  {
    name: 'claim with devices of every app',
    file: 'packages/pipeline/src/deliver/eligibility.sql.ts',
    anchor: 'LEFT JOIN device v ON v.app_id = d.app_id AND',
    becomes: 'LEFT JOIN device v ON',
    path: 'packages/pipeline/src/deliver/device-claims.int.test.ts',
    title: 'is not affected by a device with the same token in another app',
  },
  {
    name: 'suppression removed for every app',
    file: 'packages/database/src/configuration/suppressions.ts',
    anchor: 'WHERE id = $1 AND app_id = $2',
    becomes: 'WHERE id = $1 AND $2::uuid IS NOT NULL',
    path: 'packages/database/src/configuration/suppressions.int.test.ts',
    title: 'are removed only by an actor of this app',
  },
  {
    name: 'page of suppressions after a row of another app',
    file: 'packages/database/src/configuration/suppressions.ts',
    anchor: 'ON a.id = $4 AND a.app_id = $1',
    becomes: 'ON a.id = $4',
    path: 'packages/database/src/configuration/suppressions.int.test.ts',
    title: 'continue after a row of the app',
  },
  {
    name: 'session renewed without end',
    file: 'packages/database/src/operators/sessions.ts',
    anchor: 'least(now()',
    becomes: 'greatest(now()',
    path: 'packages/database/src/operators/access.int.test.ts',
    title: 'is never renewed beyond its maximum time',
  },
  {
    name: 'reset link keeps sessions',
    file: 'packages/database/src/operators/access.ts',
    anchor: 'if (id !== undefined) await endOperatorSessions(client, id);',
    becomes: '',
    path: 'packages/database/src/operators/access.int.test.ts',
    title: 'by a reset link ends every session',
  },
  {
    name: 'session idle for 12 minutes',
    file: 'apps/dashboard/src/server/sessions.ts',
    anchor: 'idleMs: 12 * 60 * 60_000',
    becomes: 'idleMs: 12 * 60_000',
    path: 'apps/dashboard/src/server/access.int.test.ts',
    title: 'ends 12 hours after its last use',
  },
  {
    name: 'lost bulk jobs before single ones',
    file: 'packages/pipeline/src/relay/relay.sql.ts',
    anchor: 'ORDER BY is_bulk, due_at',
    becomes: 'ORDER BY due_at',
    path: 'packages/pipeline/src/relay/waiting.int.test.ts',
    title: 'lists single sends first',
  },
  {
    name: 'expiry keeps sealed texts',
    file: 'packages/pipeline/src/relay/relay.sql.ts',
    anchor: 'if (rows.length > 0)\n    await',
    becomes: 'if (rows.length < 0)\n    await',
    path: 'packages/pipeline/src/accept/sealed-items.int.test.ts',
    title: 'are dropped with a queued message that expires',
  },
  {
    name: 'result recorded beside its changes',
    file: 'packages/pipeline/src/deliver/record.sql.ts',
    anchor: 'if (changed.length > 0) await applyContactUpdates(',
    becomes: 'if (changed.length > 0) void applyContactUpdates(',
    path: 'packages/pipeline/src/deliver/contact-updates.sql.int.test.ts',
    title: 'is stored before the attempt’s result',
  },
  {
    name: 'use of a key recorded before its secret is compared',
    file: 'apps/api/src/middleware/before-body.ts',
    anchor: '    if (!parsedKey || !stored ||',
    becomes: '    if (parsedKey) recordKeyUse(parsedKey.id);\n    if (!parsedKey || !stored ||',
    path: 'apps/api/src/app.test.ts',
    title: 'records no use',
  },
  {
    name: 'rate limit after the body',
    file: 'apps/api/src/post.ts',
    anchor: 'await limitRate(call, caller.accountId);',
    becomes:
      'await readBody(req, res, caller.accountId);\n      await limitRate(call, caller.accountId);',
    path: 'apps/api/src/before-body.test.ts',
    title: 'before its body arrives',
  },
  {
    name: 'client follows redirects',
    file: 'packages/client/src/attempt.ts',
    anchor: "redirect: 'manual'",
    becomes: "redirect: 'follow'",
    path: 'packages/client/src/call.test.ts',
    title: 'is not followed',
  },
  {
    name: 'characters for bytes',
    file: 'packages/shared/src/wire/bulk-send.ts',
    anchor: 'Buffer.byteLength(JSON.stringify(value)) * count',
    becomes: 'JSON.stringify(value).length * count',
    path: 'packages/shared/src/wire/bulk-send.test.ts',
    title: 'limits the bytes of an override',
  },
  {
    name: 'one person slows an integration',
    file: 'packages/channels/src/whatsapp/meta-codes.ts',
    anchor: "slows: 'target'",
    becomes: "slows: 'integration'",
    path: 'packages/channels/src/whatsapp/meta-codes.test.ts',
    title: 'a temporary code of Meta',
  },
  {
    name: 'reply_to of the integration ignored',
    file: 'packages/channels/src/email/parties.ts',
    anchor: 'const replyTo = content.replyTo ?? settings.reply_to;',
    becomes: 'const replyTo = content.replyTo ?? (settings.reply_to && undefined);',
    path: 'packages/channels/src/email/smtp.test.ts',
    title: 'sets Reply-To from its content',
  },
  {
    name: 'number of 7 digits refused',
    file: 'packages/channels/src/twilio/request.ts',
    anchor: '{6,14}',
    becomes: '{7,14}',
    path: 'packages/channels/src/twilio/request.test.ts',
    title: 'a target of',
  },
  {
    name: 'doctor exits 1 for a warning',
    file: 'apps/cli/src/doctor.ts',
    anchor: 'return failed === 0 ?',
    becomes: 'return failed + warned === 0 ?',
    path: 'apps/cli/src/doctor.test.ts',
    title: 'belfry doctor exits',
  },
];

type Row = {
  name: string;
  file: string;
  anchor: string;
  becomes: string;
  /** The test that fails, by its file and a part of its title. */
  path: string;
  title: string;
};

export const survivors = rows.map(({ name, file, anchor, becomes, path, title }) => ({
  name,
  breaks: title,
  file,
  edits: [{ anchor, becomes }],
  suite: {
    kind: 'tests' as const,
    project: path.endsWith('.int.test.ts') ? ('int' as const) : ('unit' as const),
    path,
    names: title,
  },
}));
