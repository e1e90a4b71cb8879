import { lazy, Suspense, useState } from 'react';
import { useAnswer } from '../answers';
import { useApp } from '../context';
import { CodeBlock } from './code';
import { Button, Segments } from './controls';
import { ProblemNote } from './notes';

// The log page shows this code, and loads the form when it is opened.
const KeyReveal = lazy(async () => ({ default: (await import('./key-reveal')).KeyReveal }));

const placeholder = '<API key>';
const titles = { curl: 'curl', client: 'Node client' };

type CallCodeProps = {
  eventId: string;
  user?: Record<string, unknown>;
  data?: Record<string, unknown>;
};

/** The call that sends an event. Inserting the API key requires the password. */
export function CallCode({ eventId, user, data }: CallCodeProps) {
  const app = useApp();
  const example = useAnswer('POST /api/apps/:appId/events/:eventId/call-example', {
    appId: app.id,
    eventId,
    body: { user: user ?? {}, data: data ?? {} },
  });
  const [language, setLanguage] = useState<'curl' | 'client'>('curl');
  const [apiKey, setApiKey] = useState<string>();
  const [isAsking, setAsking] = useState(false);
  if (!example.value) return <ProblemNote problem={example.problem} />;
  const text = example.value[language].replaceAll(placeholder, apiKey ?? placeholder);
  return (
    <>
      <CodeBlock
        title={titles[language]}
        text={text}
        aside={
          <Segments
            label="Language"
            value={language}
            onChange={setLanguage}
            options={[
              { value: 'curl', text: titles.curl },
              { value: 'client', text: titles.client },
            ]}
          />
        }
      >
        <ShellText text={text} />
      </CodeBlock>
      {!apiKey && (
        <p className="faint small">
          <code>{placeholder}</code> is a placeholder.{' '}
          <Button look="small" onClick={() => setAsking(true)}>
            Insert API key
          </Button>
        </p>
      )}
      <Suspense fallback={null}>
        {isAsking && (
          <KeyReveal
            onClose={() => setAsking(false)}
            onKey={(revealedKey) => {
              setApiKey(revealedKey);
              setAsking(false);
            }}
          />
        )}
      </Suspense>
    </>
  );
}

const strings = /('[^']*'|"[^"]*")/;

function ShellText({ text }: { text: string }) {
  let at = 0;
  return text.split(strings).map((part, index) => {
    at += part.length + 1;
    const isString = index % 2 === 1;
    return isString ? (
      <span key={at} className="st">
        {part}
      </span>
    ) : (
      part
    );
  });
}
