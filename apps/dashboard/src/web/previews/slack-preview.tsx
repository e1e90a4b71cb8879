import type { ReactNode } from 'react';
import { useSession } from '../context';
import { Bell } from '../parts/icons';
import { type Fields, getText, toFields, toFieldsList } from './content';
import { Formatted } from './formatted';
import { Picture } from './phone-previews';
import type { PreviewProps } from './preview';
import shared from './preview.module.css';
import { parseMrkdwn, parsePlain } from './runs';
import styles from './slack-preview.module.css';

export function SlackPreview({ fields, hasControls }: PreviewProps) {
  const { app } = useSession();
  const blocks = toFieldsList(fields['blocks']);
  const text = getText(fields, 'text');
  return (
    <>
      <div className={styles.slack}>
        <div className={styles.avatar}>
          <Bell />
        </div>
        <div>
          <div className={styles.sender}>
            {app?.name ?? 'App'}
            <i>APP</i>
          </div>
          {blocks.length === 0 && <Formatted runs={parseMrkdwn(text)} />}
          {blocks.map((block) => (
            <Block key={JSON.stringify(block)} block={block} />
          ))}
        </div>
      </div>
      {hasControls && blocks.length > 0 && text && (
        <p className={shared.note}>Notification text, without blocks: {text}</p>
      )}
    </>
  );
}

function Block({ block }: { block: Fields }): ReactNode {
  switch (getText(block, 'type')) {
    case 'divider':
      return <hr />;
    case 'image':
      return (
        <Picture what={getText(block, 'alt_text') || 'image'} url={getText(block, 'image_url')} />
      );
    case 'rich_text':
      return (
        <div className={styles.block}>{toFieldsList(block['elements']).map(renderRichElement)}</div>
      );
    default:
      return <TextBlock block={block} />;
  }
}

function TextBlock({ block }: { block: Fields }) {
  const text = block['text'];
  const accessory = block['accessory'] === undefined ? [] : [toFields(block['accessory'])];
  const elements = [
    ...toFieldsList(block['fields']),
    ...toFieldsList(block['elements']),
    ...accessory,
  ];
  return (
    <div className={styles.block} data-type={getText(block, 'type')}>
      {text !== undefined && <TextObject value={text} />}
      {elements.length > 0 && (
        <div className={styles.fields}>
          {elements.map((part) => (
            <Part key={JSON.stringify(part)} part={part} />
          ))}
        </div>
      )}
    </div>
  );
}

function Part({ part }: { part: Fields }) {
  const kind = getText(part, 'type');
  if (kind === 'image') {
    return <Picture what={getText(part, 'alt_text') || 'image'} url={getText(part, 'image_url')} />;
  }
  if (kind === 'mrkdwn' || kind === 'plain_text') {
    return (
      <span>
        <TextObject value={part} />
      </span>
    );
  }
  const text = part['text'] ?? part['placeholder'] ?? kind.replaceAll('_', ' ');
  return (
    <span
      className={kind === 'button' ? styles.button : styles.element}
      data-style={getText(part, 'style')}
    >
      <TextObject value={text} />
    </span>
  );
}

/** Only `mrkdwn` text objects have markup; a plain string comes from a markdown block. */
function TextObject({ value }: { value: unknown }) {
  if (typeof value === 'string') return <Formatted runs={parseMrkdwn(value)} />;
  const object = toFields(value);
  const text = getText(object, 'text');
  const isPlain = getText(object, 'type') === 'plain_text';
  return <Formatted runs={isPlain ? [{ text, looks: [] }] : parseMrkdwn(text)} />;
}

const maxDepth = 6;

/** Rich text elements are nested: sections, lists and quotes contain the text. */
function renderRichElement(element: Fields, at: number, _all: unknown, depth = 0): ReactNode {
  const inner = depth < maxDepth ? toFieldsList(element['elements']) : [];
  const style = toFields(element['style']);
  const text = getText(element, 'text', 'url', 'name', 'user_id', 'channel_id');
  if (inner.length === 0) {
    return (
      <span key={`${at} ${text}`}>
        {style['bold'] === true ? <b>{text}</b> : <Formatted runs={parsePlain(text)} />}
      </span>
    );
  }
  const kind = getText(element, 'type');
  return (
    <div key={`${at} ${kind}`} className={kind === 'rich_text_quote' ? shared.quote : undefined}>
      {kind === 'rich_text_section' && depth > 0 && '• '}
      {inner.map((each, index) => renderRichElement(each, index, inner, depth + 1))}
    </div>
  );
}
