import { useDesk } from '../context';
import { Bell } from '../parts/icons';
import { type Fields, fieldsOf, listOf, runsOfMrkdwn, textOf } from './content';
import { Runs } from './phone-previews';
import type { PreviewProps } from './shot';

export function SlackPreview({ fields }: PreviewProps) {
  const { app } = useDesk();
  const blocks = listOf(fields['blocks']);
  return (
    <div className="pv-sl">
      <div className="av">
        <Bell />
      </div>
      <div>
        <div className="by">
          {app?.name ?? 'App'}
          <i>APP</i>
        </div>
        {blocks.length === 0 && <Runs runs={runsOfMrkdwn(textOf(fields, 'text'))} />}
        {blocks.map((block) => (
          <Block key={JSON.stringify(block)} block={block} />
        ))}
      </div>
    </div>
  );
}

function Block({ block }: { block: Fields }) {
  const text = textOf(fieldsOf(block['text']), 'text');
  const parts = [...listOf(block['fields']), ...listOf(block['elements'])];
  const kind = textOf(block, 'type');
  if (kind === 'divider') return <hr />;
  return (
    <div className={`bl bl-${kind}`}>
      {text && <Runs runs={runsOfMrkdwn(text)} />}
      {parts.length > 0 && (
        <div className="fields">
          {parts.map((part) => (
            <span
              key={JSON.stringify(part)}
              className={textOf(part, 'type') === 'button' ? 'b2' : ''}
            >
              <Runs
                runs={runsOfMrkdwn(textOf(part, 'text') || textOf(fieldsOf(part['text']), 'text'))}
              />
            </span>
          ))}
        </div>
      )}
    </div>
  );
}
