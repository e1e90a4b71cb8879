import { useState } from 'react';
import type { Lane, RequestAnswer } from '../../api/requests';
import { useKeys } from '../keyboard';
import { Asks } from './asks';
import { nameOf } from './lane-name';
import { Lanes } from './lanes';
import { Story } from './story';

export function TimelineTab({
  request,
  onChanged,
}: {
  request: RequestAnswer;
  onChanged: () => Promise<void>;
}) {
  const { lanes } = request;
  const [chosen, setChosen] = useState<string>();
  const selected = lanes.find((lane) => nameOf(lane) === chosen) ?? worstOf(lanes);
  const step = (by: number) => () => {
    const at = selected ? lanes.indexOf(selected) : -1;
    const next = lanes[at + by];
    if (next) setChosen(nameOf(next));
  };
  useKeys({ '[': step(-1), ']': step(1) });
  return (
    <>
      <Lanes request={request} selected={selected} onSelect={(lane) => setChosen(nameOf(lane))} />
      <Asks lanes={lanes} onChanged={onChanged} />
      {selected && (
        <Story key={nameOf(selected)} request={request} lane={selected} onChanged={onChanged} />
      )}
      {lanes.length === 0 && (
        <p className="nothing">
          {request.plannedItems < request.items
            ? 'Its messages are not planned yet. The role fanout does that.'
            : 'The version has no channel that this request could reach.'}
        </p>
      )}
    </>
  );
}

/** What needs a decision is opened first. */
function worstOf(lanes: readonly Lane[]): Lane | undefined {
  const isState = (state: string) => (lane: Lane) =>
    lane.kind === 'message' && lane.state === state;
  return lanes.find(isState('failed')) ?? lanes.find(isState('unknown')) ?? firstOf(lanes);
}

function firstOf(lanes: readonly Lane[]): Lane | undefined {
  return lanes.find(({ kind }) => kind === 'message') ?? lanes[0];
}
