import { useLocation, useNavigate } from 'react-router';
import { type OverviewAnswer, overviewPeriods } from '../../api/overview';
import { useAnswer } from '../answers';
import { useApp } from '../context';
import { formatFull } from '../dates';
import { count, duration } from '../format';
import { Segments } from '../parts/controls';
import { Moment } from '../parts/moment';
import { AwayBar, NoteBox, Waiting } from '../parts/notes';
import { Backlog, UnhealthyIntegrations } from './attention';
import { ChannelCounts } from './channel-counts';
import { Chart } from './chart';
import { FailureList } from './failure-list';
import { LatencyLines } from './latency-lines';
import styles from './overview.module.css';
import { StateBars } from './state-bars';
import { formatRate, roundUp, series, sumCounts } from './states';
import { StepTable } from './step-table';

const periods = [
  { value: 'hour', text: 'Last hour' },
  { value: 'day', text: 'Last day' },
  { value: 'week', text: 'Last week' },
] as const;

/** Counts are written every 15 s. */
const readEveryMs = 15_000;
const lateAfterMs = 2 * 60_000;

/** The first page for an operator: sent and failed messages, reasons and backlog. The period is part of the URL. */
export function OverviewPage() {
  const app = useApp();
  const navigate = useNavigate();
  const { search } = useLocation();
  const chosen = new URLSearchParams(search).get('period');
  const period = overviewPeriods.find((each) => each === chosen) ?? 'hour';
  const input = { appId: app.id, query: { period } };
  const overview = useAnswer('GET /api/apps/:appId/overview', input, { everyMs: readEveryMs });
  const { value } = overview;
  return (
    <div className="split q">
      <div>
        <div className="bar filters">
          <Segments
            label="Period"
            options={periods}
            value={period}
            onChange={(next) => navigate({ search: `period=${next}` })}
          />
          <span className="faint small">
            Messages by the time their request was accepted, in their state now
            {value?.countedAt && (
              <>
                , counted at <Moment at={value.countedAt} />
              </>
            )}
          </span>
        </div>
        <AwayBar loaded={overview} reload={overview.reload} />
      </div>
      <div className="pane">
        {!value && <Waiting loaded={overview} reload={overview.reload} what="overview" />}
        {value && <Content overview={value} />}
      </div>
    </div>
  );
}

function Content({ overview }: { overview: OverviewAnswer }) {
  const { period, points, totals, channels, failures, backlog } = overview;
  const peak = roundUp(Math.max(...points.map(sumCounts)));
  const peakMs = roundUp(Math.max(1, ...points.map(({ latency }) => latency?.p95Ms ?? 0)));
  const table = <StepTable overview={overview} />;
  return (
    <>
      <Freshness overview={overview} />
      <Totals overview={overview} />
      <Chart title="Messages" legend={<Legend />} top={count(peak)} {...{ points, table }}>
        <StateBars
          points={points}
          label={`Messages by state: ${count(sumCounts(totals))} in the last ${period}, ${count(totals.failed)} failed`}
          className={styles.chart}
        />
      </Chart>
      {channels.length > 0 && <ChannelCounts overview={overview} />}
      <div className={styles.pair}>
        <FailureList failures={failures} />
        <div>
          <UnhealthyIntegrations overview={overview} />
          <Backlog backlog={backlog} />
        </div>
      </div>
      <Chart
        title="Acceptance to provider"
        legend={<LatencyLegend />}
        top={duration(peakMs)}
        {...{ points, table }}
      >
        <LatencyLines points={points} peakMs={peakMs} label={describeLatency(overview)} />
      </Chart>
    </>
  );
}

/** Says if the numbers are old or incomplete. */
function Freshness({
  overview: { countedAt, readAt, uncountedMinutes },
}: {
  overview: OverviewAnswer;
}) {
  const isLate = countedAt === null || readAt - countedAt > lateAfterMs;
  if (!isLate && uncountedMinutes === 0) return null;
  return (
    <div className="pad">
      {isLate ? (
        <NoteBox tone="amber" title="Counts are not up to date.">
          {countedAt === null
            ? 'None was written yet.'
            : `Last written at ${formatFull(countedAt)}.`}{' '}
          The relay writes them. Start a worker with the role relay. No message is lost.
        </NoteBox>
      ) : (
        <NoteBox tone="plain" title="Older messages are still being counted.">
          {count(uncountedMinutes)} minutes of this period are not counted yet.
        </NoteBox>
      )}
    </div>
  );
}

function Totals({ overview: { totals, failureRate, latency } }: { overview: OverviewAnswer }) {
  return (
    <dl className="totals">
      {series.map(({ name, text }) => (
        <div key={name}>
          <dt>{text}</dt>
          <dd className={name === 'failed' && totals.failed > 0 ? 's-failed' : ''}>
            {count(totals[name])}
          </dd>
        </div>
      ))}
      <div title="Failed messages, of those that are not waiting or skipped">
        <dt>Failure rate</dt>
        <dd>{formatRate(failureRate)}</dd>
      </div>
      <div title="Single sends without a schedule">
        <dt>Acceptance to provider, p50</dt>
        <dd>{latency ? duration(latency.p50Ms) : 'none'}</dd>
      </div>
      <div title="Single sends without a schedule">
        <dt>p95</dt>
        <dd>{latency ? duration(latency.p95Ms) : 'none'}</dd>
      </div>
    </dl>
  );
}

function Legend() {
  return series.map(({ name, text }) => (
    <span key={name} className="state">
      <svg className={styles.key} viewBox="0 0 1 1" aria-hidden="true">
        <rect className={styles[name]} width="1" height="1" />
      </svg>
      {text}
    </span>
  ));
}

function LatencyLegend() {
  return (
    <>
      <span className="state">
        <svg className={styles.key} viewBox="0 0 2 2" aria-hidden="true">
          <path className={styles.p50} d="M0 1h2" />
        </svg>
        p50
      </span>
      <span className="state">
        <svg className={styles.key} viewBox="0 0 2 2" aria-hidden="true">
          <path className={styles.p95} d="M0 1h2" />
        </svg>
        p95
      </span>
    </>
  );
}

function describeLatency({ latency, period }: OverviewAnswer): string {
  if (!latency) return `No single send in the last ${period}`;
  return `Time from acceptance to provider in the last ${period}: p50 ${duration(latency.p50Ms)}, p95 ${duration(latency.p95Ms)}`;
}
