import type { OptOut } from '@belfry/shared';

/** SQL about a row `d` of the judged relation. */
export type PreferenceFacts = {
  /** The `user_id` that the call names, or NULL. */
  userId: string;
  /** The kind of the event's version, or NULL for a version older than kinds. */
  kind: string;
  /** The category of the event's version, or NULL. */
  category: string;
  /** `user.preferences` of the call as JSON, or NULL. */
  preferences: string;
};

const selectOptOuts = (app: string) => `SELECT true FROM user_opt_out WHERE app_id = ${app}`;

/**
 * A condition: no stored preference can stop the message `m`, because no user of its app, or not the user whom its call names,
 * switched anything off. It does not read what they switched off. An app without opt-outs pays one look at an index.
 */
export const hasNoOptOut = (m: string) => `((${selectOptOuts(`${m}.app_id`)} LIMIT 1) IS NULL
    OR (${selectOptOuts(`${m}.app_id`)} AND user_id = (
      SELECT o.recipient::jsonb ->> 'user_id' FROM request_item o WHERE o.request_id = ${m}.request_id AND o.item = ${m}.item)) IS NULL)`;

/**
 * Selects `opt_out`: the preference that stops the row `d` of the judged relation, as the JSON of an `OptOut`; no row if none
 * does. `findOptOut` in packages/shared/src/preferences.ts has the rule. Versions without a kind were judged when they were planned.
 */
export function selectOptOut({ kind, category, preferences, userId }: PreferenceFacts): string {
  // OFFSET 0: each fact is read once, and only for users with an opt-out.
  return `
    SELECT jsonb_build_object('channel', l.channel, 'category', l.category) AS opt_out
    FROM (SELECT ${userId} AS user_id WHERE (${selectOptOuts('d.app_id')} LIMIT 1) OFFSET 0) named
    JOIN user_opt_out o ON o.app_id = d.app_id AND o.user_id = named.user_id
    JOIN app_user u ON u.app_id = o.app_id AND u.user_id = o.user_id
    CROSS JOIN LATERAL (SELECT ${kind} AS kind, ${category} AS category, ${preferences} AS call OFFSET 0) v
    CROSS JOIN LATERAL (
      SELECT l.channel, l.category, w.is_off
      FROM (VALUES
        (1, d.channel, v.category, ARRAY['categories', v.category, 'channel_preferences', d.channel, 'disabled']),
        (2, NULL, v.category, ARRAY['categories', v.category, 'disabled']),
        (3, d.channel, NULL, ARRAY['channel_preferences', d.channel, 'disabled']),
        (4, NULL, NULL, ARRAY['disabled'])) l (place, channel, category, path)
      CROSS JOIN LATERAL (SELECT coalesce(v.call #>> l.path, u.contact #>> ('{preferences}' || l.path)) AS is_off) w
      WHERE w.is_off IS NOT NULL
      ORDER BY l.place LIMIT 1
    ) l
    WHERE v.kind = 'optional' AND l.is_off = 'true'`;
}

/** In the notes of a message: the preference that skipped it, or why a mandatory one was sent to a suppressed address. */
export type VerdictNotes = { opt_out?: Partial<OptOut>; passed_suppression?: string };

/** SQL for the notes of a message that is skipped or sent with the verdict `v`. */
export const addVerdictNotes = (notes: string, v: string) => `CASE
    WHEN ${v}.opt_out IS NULL AND ${v}.passed_suppression IS NULL THEN ${notes}
    ELSE coalesce(${notes}, '{}') || jsonb_strip_nulls(jsonb_build_object(
      'opt_out', ${v}.opt_out, 'passed_suppression', ${v}.passed_suppression)) END`;
