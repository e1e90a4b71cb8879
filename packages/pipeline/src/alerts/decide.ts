/** The open incident of a rule. */
export type OpenIncident = {
  id: string;
  /** Nobody was notified when it opened. */
  isQuiet: boolean;
  reminders: number;
  remindAt: Date;
  clearSince: Date | null;
};

export type Decision =
  | { act: 'nothing' }
  | { act: 'open'; isQuiet: boolean; remindAt: Date }
  /** Stores the facts; `isReminder` also notifies. */
  | {
      act: 'update';
      isReminder: boolean;
      clearSince: Date | null;
      remindAt: Date;
      reminders: number;
    }
  | { act: 'resolve'; isNotified: boolean };

type Situation = {
  incident: OpenIncident | undefined;
  /** The condition holds now. */
  isTrue: boolean;
  /** Incidents of the rule that opened within `repeatedWithinMs`. */
  recentIncidents: number;
};

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** The condition must be false this long, so that an alert does not flap. */
const clearForMs = 2 * minuteMs;
/** Quiet times after the first notification and after each reminder; the last one repeats. */
const quietMs = [hourMs, 4 * hourMs, 24 * hourMs];
/** A rule that fires again and again notifies of this many incidents in an hour; later ones open quietly. */
const loudIncidents = 3;
export const repeatedWithinMs = hourMs;

/** Decides what to do about a rule. No other place decides whether and when somebody is notified. */
export function decide({ incident, isTrue, recentIncidents }: Situation, now: Date): Decision {
  if (!incident) {
    if (!isTrue) return { act: 'nothing' };
    const isQuiet = recentIncidents >= loudIncidents;
    return { act: 'open', isQuiet, remindAt: after(now, getQuietMs(0)) };
  }
  const { reminders, remindAt, clearSince } = incident;
  if (!isTrue) {
    const since = clearSince ?? now;
    if (now.getTime() - since.getTime() >= clearForMs) {
      return { act: 'resolve', isNotified: !incident.isQuiet || reminders > 0 };
    }
    return { act: 'update', isReminder: false, clearSince: since, remindAt, reminders };
  }
  if (now < remindAt) {
    return { act: 'update', isReminder: false, clearSince: null, remindAt, reminders };
  }
  const next = after(now, getQuietMs(reminders + 1));
  return {
    act: 'update',
    isReminder: true,
    clearSince: null,
    remindAt: next,
    reminders: reminders + 1,
  };
}

function getQuietMs(reminders: number): number {
  return quietMs[Math.min(reminders, quietMs.length - 1)] ?? hourMs;
}

function after(now: Date, ms: number): Date {
  return new Date(now.getTime() + ms);
}
