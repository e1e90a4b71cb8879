import { useEffect, useRef, useState } from 'react';
import type { ChannelRow, MessageChannelRow } from '../../api/requests';
import type { PageProblem } from '../api';
import { useApp, useServices, useSession } from '../context';
import { plural } from '../format';
import { useKeys } from '../keyboard';
import { Button, KeyHint } from '../parts/controls';
import { rememberFocus } from '../parts/return-focus';
import { Mark } from '../parts/state-mark';
import { groupPrompts, type PromptGroup } from './prompt-groups';
import { ResendDialog } from './resend-dialog';
import styles from './timeline.module.css';

type Warning = { rows: MessageChannelRow[]; text: string };

/** Messages that need a decision: failed, unknown, and waiting ones that can be cancelled. One banner for each action. */
export function ResendPrompts({
  channelRows,
  onChanged,
}: {
  channelRows: ChannelRow[];
  onChanged: () => Promise<void>;
}) {
  const { mayChange } = useSession();
  const { act, warning, setWarning, problem, isBusy } = usePromptActions(onChanged);
  const groups = groupPrompts(channelRows, Date.now());
  const first = groups.find(({ action }) => action === 'resend');
  useKeys({ r: () => mayChange && !isBusy && first && void act(first) });
  if (groups.length === 0 && !problem) return null;
  return (
    <>
      <ul className={styles.decisions} aria-label="Needs a decision">
        {problem && (
          <li className={styles.red} role="alert">
            <Mark name="failed" />
            <p>{problem.error}</p>
          </li>
        )}
        {groups.map((group) => (
          <PromptRow
            key={`${group.state} ${group.action}`}
            group={group}
            isFirst={group === first}
            isBusy={isBusy}
            onAct={mayChange ? () => void act(group) : undefined}
          />
        ))}
      </ul>
      {warning && (
        <ResendDialog
          what={nameRows(warning.rows)}
          warning={warning.text}
          onClose={() => setWarning(undefined)}
          onConfirm={() => void act({ action: 'resend', rows: warning.rows }, true)}
        />
      )}
    </>
  );
}

type Act = Pick<PromptGroup, 'action' | 'rows'>;

function usePromptActions(onChanged: () => Promise<void>) {
  const app = useApp();
  const { api } = useServices();
  const [warning, setWarning] = useState<Warning>();
  const [problem, setProblem] = useState<PageProblem>();
  const [isBusy, setBusy] = useState(false);
  const pressed = useRef<{ element: Element | null; returnFocus: () => void }>(undefined);
  // The pressed button goes with its row. If the focus moved elsewhere before, it stays there.
  useEffect(() => {
    if (isBusy || warning || !pressed.current) return;
    const { element, returnFocus } = pressed.current;
    if (document.activeElement === element) return;
    const isLost = document.activeElement === document.body && !element?.isConnected;
    pressed.current = undefined;
    if (isLost) returnFocus();
  });

  function call(action: Act['action'], row: MessageChannelRow, confirm: boolean) {
    const place = { appId: app.id, messageId: row.messageId };
    return action === 'cancel'
      ? api.call('POST /api/apps/:appId/messages/:messageId/cancel', place)
      : api.call('POST /api/apps/:appId/messages/:messageId/resend', {
          ...place,
          body: { confirm, confirmedState: row.state },
        });
  }

  /** Acts on one message after the other, and reports the first problem. */
  async function act({ action, rows }: Act, confirm = false) {
    if (!confirm) {
      pressed.current = { element: document.activeElement, returnFocus: rememberFocus() };
    }
    const text = [...new Set(rows.flatMap(({ can }) => can.resend.warning ?? []))].join(' ');
    if (action === 'resend' && !confirm && text) return setWarning({ rows, text });
    setWarning(undefined);
    setBusy(true);
    let firstProblem: PageProblem | undefined;
    for (const row of rows) {
      const answer = await call(action, row, confirm);
      if ('problem' in answer) firstProblem ??= answer.problem;
    }
    setProblem(firstProblem);
    await onChanged();
    setBusy(false);
  }
  return { act, warning, setWarning, problem, isBusy };
}

function nameRows(rows: readonly MessageChannelRow[]): string {
  const [row] = rows;
  return rows.length === 1 && row ? row.channel : plural(rows.length, 'message');
}

function describeGroup(state: string, size: number): string {
  const messages = plural(size, 'message');
  if (state === 'unknown') return `The outcome of ${messages} is unknown.`;
  return state === 'failed' ? `${messages} failed.` : `${messages} are ${state}.`;
}

function PromptRow({
  group: { state, action, rows, reasons },
  isFirst,
  isBusy,
  onAct,
}: {
  group: PromptGroup;
  /** Whether the keyboard shortcut applies to this row. */
  isFirst: boolean;
  isBusy: boolean;
  /** Undefined for a viewer. */
  onAct: (() => void) | undefined;
}) {
  const tone = { failed: 'red', unknown: 'amber' }[state];
  const verb = action === 'cancel' ? 'Cancel' : 'Resend';
  const isRisky = action === 'resend' && state === 'unknown';
  return (
    <li className={tone && styles[tone]}>
      <Mark name={state} />
      <div>
        {rows.length > 1 && (
          <p>
            <b>{describeGroup(state, rows.length)}</b>
          </p>
        )}
        {reasons.map(({ channels, text }) => (
          <p key={text}>
            <b>{channels.join(', ')}</b> {text}
          </p>
        ))}
      </div>
      {onAct && action && (
        <Button
          look="small"
          aria-disabled={isBusy}
          onClick={isBusy ? undefined : onAct}
          {...(isFirst ? { 'aria-keyshortcuts': 'r' } : {})}
        >
          {verb} {nameRows(rows)}
          {isRisky && ' anyway'}
          {isFirst && <KeyHint keys="r" />}
        </Button>
      )}
    </li>
  );
}
