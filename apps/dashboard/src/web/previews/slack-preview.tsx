import type { ReactNode } from 'react';
import { useDesk } from '../context';
import { Bell } from '../parts/icons';
import { type Fields, fieldsOf, listOf, textOf } from './content';
import { Formatted } from './formatted';
import { Picture } from './phone-previews';
import type { PreviewProps } from './preview';
import { runsOfMrkdwn, runsOfPlain } from './runs';

export function SlackPreview({ fields, hasTools }: PreviewProps) {
  const { app } = useDesk();
  const blocks = listOf(fields['blocks']);
  const text = textOf(fields, 'text');
  return (
    <>
      <div className="pv-sl">
        <div className="av">
          <Bell />
        </div>
        <div>
          <div className="by">
            {app?.name ?? 'App'}
            <i>APP</i>
          </div>
          {blocks.length === 0 && <Formatted runs={runsOfMrkdwn(text)} />}
          {blocks.map((block) => (
            <Block key={JSON.stringify(block)} block={block} />
          ))}
        </div>
      </div>
      {hasTools && blocks.length > 0 && text && (
        <p className="pv-note">In notifications, where no block is shown: {text}</p>
      )}
    </>
  );
}

function Block({ block }: { block: Fields }): ReactNode {
  switch (textOf(block, 'type')) {
    case 'divider':
      return <hr />;
    case 'image':
      return (
        <Picture what={textOf(block, 'alt_text') || 'image'} url={textOf(block, 'image_url')} />
      );
    case 'rich_text':
      return <div className="bl">{listOf(block['elements']).map(richPart)}</div>;
    default:
      return <TextBlock block={block} />;
  }
}

function TextBlock({ block }: { block: Fields }) {
  const text = block['text'];
  const accessory = block['accessory'] === undefined ? [] : [fieldsOf(block['accessory'])];
  const parts = [...listOf(block['fields']), ...listOf(block['elements']), ...accessory];
  return (
    <div className={`bl bl-${textOf(block, 'type')}`}>
      {text !== undefined && <TextObject of={text} />}
      {parts.length > 0 && (
        <div className="fields">
          {parts.map((part) => (
            <Part key={JSON.stringify(part)} part={part} />
          ))}
        </div>
      )}
    </div>
  );
}

function Part({ part }: { part: Fields }) {
  const kind = textOf(part, 'type');
  if (kind === 'image') {
    return <Picture what={textOf(part, 'alt_text') || 'image'} url={textOf(part, 'image_url')} />;
  }
  if (kind === 'mrkdwn' || kind === 'plain_text') {
    return (
      <span>
        <TextObject of={part} />
      </span>
    );
  }
  const look = kind === 'button' ? `b2 ${textOf(part, 'style')}` : 'b2 other';
  return (
    <span className={look}>
      <TextObject of={part['text'] ?? part['placeholder'] ?? kind.replaceAll('_', ' ')} />
    </span>
  );
}

/** Of Slack's text objects one has marks; a text alone is one of a block of markdown. */
function TextObject({ of }: { of: unknown }) {
  if (typeof of === 'string') return <Formatted runs={runsOfMrkdwn(of)} />;
  const object = fieldsOf(of);
  const text = textOf(object, 'text');
  const isPlain = textOf(object, 'type') === 'plain_text';
  return <Formatted runs={isPlain ? [{ text, looks: [] }] : runsOfMrkdwn(text)} />;
}

const maxDepth = 6;

/** Elements of a rich text lie in each other: sections, lists, quotes, and in them the words. */
function richPart(element: Fields, at: number, _all: unknown, depth = 0): ReactNode {
  const inner = depth < maxDepth ? listOf(element['elements']) : [];
  const style = fieldsOf(element['style']);
  const text = textOf(element, 'text', 'url', 'name', 'user_id', 'channel_id');
  if (inner.length === 0) {
    return (
      <span key={`${at} ${text}`}>
        {style['bold'] === true ? <b>{text}</b> : <Formatted runs={runsOfPlain(text)} />}
      </span>
    );
  }
  const kind = textOf(element, 'type');
  return (
    <div key={`${at} ${kind}`} className={kind === 'rich_text_quote' ? 'pv-quote' : ''}>
      {kind === 'rich_text_section' && depth > 0 && '• '}
      {inner.map((each, index) => richPart(each, index, inner, depth + 1))}
    </div>
  );
}
