import { useState } from 'react';
import { Segments } from '../parts/controls';
import { type Fields, getText, toFields } from './content';
import { Picture } from './phone-previews';
import type { PreviewProps } from './preview';
import shared from './preview.module.css';
import styles from './push-preview.module.css';

const platforms = [
  { value: 'android', text: 'android' },
  { value: 'ios', text: 'ios' },
  { value: 'web', text: 'web' },
] as const;

/** A collapsed notification on each platform, truncated like on the platform. */
export function PushPreview({ fields, hasControls }: PreviewProps) {
  const [platform, setPlatform] = useState<'android' | 'ios' | 'web'>('android');
  const data = Object.entries(toFields(fields['data']));
  const isDataOnly = fields['data_only'] === true;
  return (
    <>
      {hasControls && (
        <div className={shared.tools}>
          <Segments label="Platform" options={platforms} value={platform} onChange={setPlatform} />
        </div>
      )}
      <div className={styles.push} data-platform={platform}>
        <Card fields={fields} platform={platform} />
      </div>
      {isDataOnly && <p className={shared.note}>Data message: the app decides what to show.</p>}
      {hasControls && data.length > 0 && (
        <dl className={shared.facts}>
          {data.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}

function Card({ fields, platform }: { fields: Fields; platform: string }) {
  const title = getText(fields, 'title');
  const image = getText(fields, 'image');
  const link = getText(fields, 'click_action');
  return (
    <div className={styles.card}>
      <i className={styles.icon} aria-hidden="true">
        {(title || getText(fields, 'body')).slice(0, 1).toUpperCase()}
      </i>
      <div>
        <b>
          <span className="cut">{title}</span>
          {platform !== 'web' && <time>now</time>}
        </b>
        <span className={styles.text}>{getText(fields, 'body')}</span>
        {image && <Picture what="image" url={image} />}
        {link && <small className="cut">{link}</small>}
      </div>
    </div>
  );
}
