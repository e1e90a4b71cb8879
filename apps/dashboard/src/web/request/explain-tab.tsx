import type { RequestAnswer } from '../../api/requests';
import { useAnswer, useApp } from '../context';
import { clock } from '../format';
import { CodeBlock } from '../parts/code';
import { AwayBar, Waiting } from '../parts/notes';

const readAgainMs = 5_000;

/** What `belfry doctor` says of the request: the same words, made by the same code. */
export function ExplainTab({ request: { requestId } }: { request: RequestAnswer }) {
  const app = useApp();
  const explanation = useAnswer(
    `explanation ${app.id} ${requestId}`,
    (api) => api.explainRequest(app.id, requestId),
    readAgainMs,
  );
  if (!explanation.value)
    return <Waiting loaded={explanation} reload={explanation.reload} what="explanation" />;
  const { sentences, command, readAt } = explanation.value;
  const text = sentences.join('\n');
  return (
    <>
      <AwayBar loaded={explanation} reload={explanation.reload} />
      <div className="pad explained">
        <CodeBlock title={command} text={text} aside={`as of ${clock(readAt)}`}>
          {text}
        </CodeBlock>
        <p className="faint small">
          The same words as the command prints on a machine of Belfry; addresses are masked.
        </p>
      </div>
    </>
  );
}
