import { createHttpSimulator, type HttpRequest, type HttpSimulator } from './http-simulator';
import { type ReceivedSpan, readExportedSpans } from './otlp-rules';
import { hasType } from './rules';

const protobufType = 'application/x-protobuf';

/** A collector that takes traces by OTLP over HTTP, in binary form only. `sends` has the spans of each export. */
export function createOtlpCollector(): Promise<HttpSimulator<ReceivedSpan[]>> {
  return createHttpSimulator<ReceivedSpan[]>({ handle });
}

function handle({ method, path, headers, body }: HttpRequest) {
  if (path !== '/v1/traces') return { reply: { status: 404, body: {} } };
  if (method !== 'POST') return { reply: { status: 405, body: {} } };
  if (!hasType(headers, protobufType)) return { reply: { status: 415, body: {} } };
  try {
    const send = readExportedSpans(body);
    return { send, reply: { headers: { 'content-type': protobufType }, body: '' } };
  } catch (error) {
    return { reply: { status: 400, body: { message: String(error) } } };
  }
}
