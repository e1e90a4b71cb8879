/** Of GET api/apps/:appId/captures, and of its address in the page. Every one is optional. */
export type CaptureFilters = {
  channel?: string;
  /** Its name. */
  event?: string;
  /** Words, all of which stand in the address, the message or the event's name. */
  text?: string;
};

export type CaptureQuery = CaptureFilters & {
  /** `next` of the page before. */
  before?: string;
};

/** What the sandbox took, newest first, 100 a page. */
export type CaptureListAnswer = { captures: CaptureSummary[]; next: string | null };

export type CaptureSummary = {
  id: string;
  messageId: string;
  channel: string;
  target: string;
  attempt: number;
  outcome: string;
  capturedAt: number;
  /** The first words of what it says. */
  line: string;
  /** Null where the request was removed since. */
  requestId: string | null;
  item: number | null;
  event: string | null;
};

/** GET api/apps/:appId/captures/:captureId: it, and all that was captured of the same item of its request. */
export type CaptureAnswer = {
  id: string;
  requestId: string | null;
  item: number | null;
  event: { id: string; name: string } | null;
  version: { id: string; number: number; kind: string } | null;
  /** Of the call; masked where the event is sensitive. */
  data: unknown;
  isSensitive: boolean;
  /** In the order of the peal, of one message the newest attempt first. */
  captures: Capture[];
};

export type Capture = {
  id: string;
  messageId: string;
  channel: string;
  target: string;
  attempt: number;
  outcome: string;
  capturedAt: number;
  provider: string;
  /** As the channel composed it. */
  content: unknown;
  /** The call that the provider would have got: `operation` and `body`. */
  request: unknown;
  /** What was noted when it was composed, such as segments. */
  notes: Record<string, unknown>;
};

/** DELETE api/apps/:appId/captures/:captureId; answers Done. */

/** DELETE api/apps/:appId/captures: 409 `needs_confirmation` unless `confirm`. */
export type RemoveCapturesBody = { confirm?: boolean };
export type RemoveCapturesAnswer = { removed: number };
