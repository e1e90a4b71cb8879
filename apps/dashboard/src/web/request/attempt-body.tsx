import type { AttemptStep } from '../../api/requests';
import { duration } from '../format';
import { CodeBlock, toText } from '../parts/code';
import { ExplanationText } from './explanation-text';

const endingLabels = {
  accepted: 'accepted',
  refused: 'refused',
  no_answer: 'no answer',
  not_sent: 'not sent',
  unclear: 'outcome unknown',
} as const;

/** One provider call with request, response and explanation. */
export function AttemptBody({ step }: { step: AttemptStep }) {
  const { closedAt, at, provider, integration } = step;
  const durationText = closedAt === null ? '' : duration(closedAt - at);
  const by = [durationText, integration ?? provider].filter(Boolean).join(', ');
  return (
    <>
      <h3>
        Attempt {step.number}: {describeEnding(step)} <span>{by}</span>
      </h3>
      <Reason step={step} />
      <ExplanationText explanation={step.explanation} />
      {step.isPossibleDuplicate && (
        <p>The previous attempt may have reached the provider, so this one may be a duplicate.</p>
      )}
      {step.request !== null && (
        <CodeBlock
          title={formatTitle('Request', step.request)}
          text={toText(getBody(step.request))}
        />
      )}
      {step.response !== null && (
        <CodeBlock
          title={formatTitle('Response', step.response)}
          text={toText(getBody(step.response))}
        />
      )}
      {step.providerMessageId && (
        <p>
          Provider message ID: <code className="k">{step.providerMessageId}</code>
        </p>
      )}
    </>
  );
}

function describeEnding({ outcome, ending }: AttemptStep): string {
  if (ending === null) return 'in progress';
  if (outcome === 'retry') return `${endingLabels[ending]}, will be retried`;
  if (outcome === 'unknown' && ending !== 'unclear')
    return `${endingLabels[ending]}, ${endingLabels.unclear}`;
  return endingLabels[ending];
}

/** The provider's error code, and its detail unless the explanation contains it. */
function Reason({ step: { reason, detail, explanation } }: { step: AttemptStep }) {
  const extraDetail = detail && !explanation?.what.includes(detail) ? detail : '';
  if (!reason && !extraDetail) return null;
  return (
    <p>
      {reason && <code className="k">{reason}</code>} {extraDetail}
    </p>
  );
}

/** Common payload fields of all providers: the operation or the status. */
function formatTitle(fallback: string, payload: unknown): string {
  if (typeof payload !== 'object' || payload === null) return fallback;
  const { method, url, status, operation } = payload as Record<string, unknown>;
  const titleParts = [method, url, operation, status].filter(
    (part) => typeof part === 'string' || typeof part === 'number',
  );
  return titleParts.length > 0 ? titleParts.join(' ') : fallback;
}

/** The body alone if the title shows the rest of the payload. */
function getBody(payload: unknown): unknown {
  if (typeof payload !== 'object' || payload === null || !('body' in payload)) return payload;
  const summaryFields = ['method', 'url', 'operation', 'status', 'body'];
  return Object.keys(payload).every((name) => summaryFields.includes(name))
    ? payload.body
    : payload;
}
