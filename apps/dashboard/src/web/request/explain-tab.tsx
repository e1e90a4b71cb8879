import type { RequestAnswer } from '../../api/requests';
import { useAnswer } from '../answers';
import { useApp } from '../context';
import { convertDates, formatFull } from '../dates';
import { CodeBlock } from '../parts/code';
import { AwayBar, Waiting } from '../parts/notes';
import styles from './request.module.css';

const readAgainMs = 5_000;

/** The output of `belfry doctor` for the request, from the same code. */
export function ExplainTab({ request: { requestId } }: { request: RequestAnswer }) {
  const app = useApp();
  const explanation = useAnswer(
    'GET /api/apps/:appId/requests/:requestId/explanation',
    { appId: app.id, requestId },
    { everyMs: readAgainMs },
  );
  if (!explanation.value)
    return <Waiting loaded={explanation} reload={explanation.reload} what="explanation" />;
  const { sentences, command, readAt } = explanation.value;
  const text = convertDates(sentences.join('\n'));
  return (
    <>
      <AwayBar loaded={explanation} reload={explanation.reload} />
      <div className={`pad ${styles.explained}`}>
        <CodeBlock title={command} text={text} aside={`as of ${formatFull(readAt)}`}>
          {text}
        </CodeBlock>
        <p className="faint small">
          This is the output of the command on a Belfry machine. Addresses are masked.
        </p>
      </div>
    </>
  );
}
