import type { AttemptStep } from '../../api/requests';
import { duration } from '../format';
import { CodeBlock, toText } from '../parts/code';
import { ExplanationText } from './explanation-text';

const outcomeLabels = {
  accepted: 'accepted',
  rejected: 'refused',
  retry: 'try later',
  unknown: 'outcome unknown',
} as const;

/** One provider call, exact: what was asked, what was answered, what it means. */
export function AttemptBody({ step }: { step: AttemptStep }) {
  const { outcome, closedAt, at, provider, integration } = step;
  const durationText = closedAt === null ? 'open' : duration(closedAt - at);
  const by = [durationText, integration ?? provider].filter(Boolean).join(', ');
  return (
    <>
      <h3>
        Attempt {step.number}: {outcome ? outcomeLabels[outcome] : 'the call is open'}{' '}
        <span>{by}</span>
      </h3>
      <Reason step={step} />
      <ExplanationText explanation={step.explanation} />
      {step.isPossibleDuplicate && (
        <p>The attempt before may have been sent: this one may be its duplicate.</p>
      )}
      {step.request !== null && (
        <CodeBlock
          title={formatTitle('Request', step.request)}
          text={toText(getBody(step.request))}
        />
      )}
      {step.response !== null && (
        <CodeBlock
          title={formatTitle('Answer', step.response)}
          text={toText(getBody(step.response))}
        />
      )}
      {step.providerMessageId && (
        <p>
          The provider’s id: <code className="k">{step.providerMessageId}</code>
        </p>
      )}
    </>
  );
}

/** The provider's own word; its detail where the explanation does not say it already. */
function Reason({ step: { reason, detail, explanation } }: { step: AttemptStep }) {
  const extraDetail = detail && !explanation?.what.includes(detail) ? detail : '';
  if (!reason && !extraDetail) return null;
  return (
    <p>
      {reason && <code className="k">{reason}</code>} {extraDetail}
    </p>
  );
}

/** What stands in most payloads, whichever provider: the call, or the status. */
function formatTitle(fallback: string, payload: unknown): string {
  if (typeof payload !== 'object' || payload === null) return fallback;
  const { method, url, status, operation } = payload as Record<string, unknown>;
  const titleParts = [method, url, operation, status].filter(
    (part) => typeof part === 'string' || typeof part === 'number',
  );
  return titleParts.length > 0 ? titleParts.join(' ') : fallback;
}

/** What the title does not say: the body alone, where the rest of the payload stands in the title. */
function getBody(payload: unknown): unknown {
  if (typeof payload !== 'object' || payload === null || !('body' in payload)) return payload;
  const summaryFields = ['method', 'url', 'operation', 'status', 'body'];
  return Object.keys(payload).every((name) => summaryFields.includes(name))
    ? payload.body
    : payload;
}
