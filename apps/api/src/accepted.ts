/** The response body of an accepted request. `more` adds fields. */
export function acceptedBody(requestId: string, more?: object): string {
  // A UUID needs no escaping.
  if (!more) return `{"request_id":"${requestId}","id":"${requestId}","success":true}`;
  return JSON.stringify({ request_id: requestId, id: requestId, success: true, ...more });
}
