import { CodeBlock } from '../parts/code';
import { Button } from '../parts/controls';

/** Shows the codes, which cannot be shown again. */
export function RecoveryCodes({ codes, onDone }: { codes: string[]; onDone: () => void }) {
  const text = codes.join('\n');
  return (
    <div className="form">
      <p>
        Each recovery code signs you in once without the app. Keep them in a safe place, but not
        only on your phone. They are not shown again.
      </p>
      <CodeBlock title="Recovery codes" text={text}>
        {text}
      </CodeBlock>
      <div className="dialog-foot">
        <Button look="main-action" onClick={onDone}>
          I saved the codes
        </Button>
        <a
          className="btn"
          download="belfry-recovery-codes.txt"
          href={`data:text/plain,${encodeURIComponent(`${text}\n`)}`}
        >
          Download
        </a>
      </div>
    </div>
  );
}
