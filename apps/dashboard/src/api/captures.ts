/** Query of GET api/apps/:appId/captures and of the page URL. All parameters are optional. */
export type CaptureFilters = {
  channel?: string;
  /** Event name. */
  event?: string;
  /** Search words. Each must occur in the address, the message or the event name. */
  text?: string;
};

export type CaptureQuery = CaptureFilters & {
  /** `next` of the previous page. */
  before?: string;
};

/** Captured messages, newest first, 100 per page. */
export type CaptureListAnswer = { captures: CaptureSummary[]; next: string | null };

export type CaptureSummary = {
  id: string;
  messageId: string;
  channel: string;
  target: string;
  attempt: number;
  outcome: string;
  capturedAt: number;
  /** The first words of the message. */
  line: string;
  /** Null if the request was deleted by retention. */
  requestId: string | null;
  item: number | null;
  event: string | null;
};

/** GET api/apps/:appId/captures/:captureId: the capture and all other captures of the same request item. */
export type CaptureAnswer = {
  id: string;
  requestId: string | null;
  item: number | null;
  event: { id: string; name: string } | null;
  version: { id: string; number: number; kind: string } | null;
  /** Data of the call; masked if the event is sensitive. */
  data: unknown;
  isSensitive: boolean;
  /** Sorted by channel; within a message, the newest attempt first. */
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
  /** The content that the channel composed. */
  content: unknown;
  /** The request that the provider would have received: `operation` and `body`. */
  request: unknown;
  /** Notes from composing, such as the number of segments. */
  notes: Record<string, unknown>;
};

/** DELETE api/apps/:appId/captures/:captureId; answers Done. */

/** DELETE api/apps/:appId/captures: 409 `needs_confirmation` unless `confirm`. */
export type RemoveCapturesBody = { confirm?: boolean };
export type RemoveCapturesAnswer = { removed: number };
