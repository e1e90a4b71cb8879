import { useState } from 'react';
import type { ChannelRow, RequestAnswer } from '../../api/requests';
import { useKeys } from '../keyboard';
import { getChannelRowId } from './channel-row-id';
import { ChannelRows } from './channel-rows';
import { listCurrent } from './prompt-groups';
import { RequestTimeline } from './request-timeline';
import { ResendPrompts } from './resend-prompts';

export function TimelineTab({
  request,
  onChanged,
}: {
  request: RequestAnswer;
  onChanged: () => Promise<void>;
}) {
  const { channelRows } = request;
  const [selectedId, setSelectedId] = useState<string>();
  const selected =
    channelRows.find((channelRow) => getChannelRowId(channelRow) === selectedId) ??
    findWorst(channelRows);
  const step = (by: number) => () => {
    const at = selected ? channelRows.indexOf(selected) : -1;
    const next = channelRows[at + by];
    if (next) setSelectedId(getChannelRowId(next));
  };
  useKeys({ '[': step(-1), ']': step(1) });
  return (
    <>
      <ChannelRows
        request={request}
        selected={selected}
        onSelect={(channelRow) => setSelectedId(getChannelRowId(channelRow))}
      />
      <ResendPrompts channelRows={channelRows} onChanged={onChanged} />
      {selected && (
        <RequestTimeline
          key={getChannelRowId(selected)}
          request={request}
          channelRow={selected}
          onChanged={onChanged}
        />
      )}
      {channelRows.length === 0 && (
        <p className="nothing">
          {request.plannedItems < request.items
            ? 'The messages of this request are not planned yet. A process with the role fanout plans them.'
            : 'The version has no channels for this request.'}
        </p>
      )}
    </>
  );
}

/** Selects a row that needs a decision first. */
function findWorst(channelRows: readonly ChannelRow[]): ChannelRow | undefined {
  const current = listCurrent(channelRows);
  return (
    current.find(({ state }) => state === 'failed') ??
    current.find(({ state }) => state === 'unknown') ??
    current[0] ??
    findFirst(channelRows)
  );
}

function findFirst(channelRows: readonly ChannelRow[]): ChannelRow | undefined {
  return channelRows.find(({ kind }) => kind === 'message') ?? channelRows[0];
}
