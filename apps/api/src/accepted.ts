/** The body that tells what was accepted, now or by the first call with its key; `more` goes into it. */
export function acceptedBody(requestId: string, more?: object): string {
  // An id needs no escape.
  if (!more) return `{"request_id":"${requestId}","id":"${requestId}","success":true}`;
  return JSON.stringify({ request_id: requestId, id: requestId, success: true, ...more });
}
