import { cleanup, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { PublishProblem } from '../../api/problem';
import type { ChannelForm } from '../../api/registry';
import { createTestApi, registry, renderPart } from '../render-part.fixture';
import { ChannelEditor } from './channel-editor';
import type { Draft } from './use-draft';

afterEach(cleanup);

const place = { severity: 'error', channel: 'email', locale: 'en' } as const;
const problems: PublishProblem[] = [
  { ...place, field: 'subject', line: 1, column: 3, problem: 'must not be empty' },
  { ...place, field: 'cc', problem: 'must be a list' },
  { ...place, field: 'cc[0]', line: 1, column: 4, problem: 'must be an address' },
  { severity: 'warning', channel: 'email', problem: 'Without an integration.' },
];
const form: ChannelForm = {
  ...{ channel: 'email', label: 'E-mail', isBuiltIn: true, unknownResends: 0, providers: [] },
  template: {
    properties: {
      subject: { type: 'string', title: 'Subject' },
      cc: { type: 'array', items: { type: 'string' }, title: 'Copies' },
    },
  },
};

function open() {
  const policy = { attempts: 8, timeToLiveMs: 3_600_000, onUnknown: 'hold' };
  const channels = { email: { integrationIds: [], templates: { en: {} }, policy } };
  // The editor reads only these parts.
  const draft = { definition: { channels }, checked: { problems, paths: [] } } as unknown as Draft;
  renderPart(
    <ChannelEditor channel="email" locale="en" draft={draft} data={{}} />,
    createTestApi({}),
    { registry: { ...registry, channels: [form] } },
  );
}

function listProblems() {
  const items = within(screen.getByRole('list', { name: 'Problems' })).getAllByRole('listitem');
  return items.map(({ textContent }) => textContent?.trim().replaceAll(/\s+/g, ' '));
}

const others = ['Copies, number 1 1:4 must be an address', 'Without an integration.'];

describe('a problem of a template', () => {
  test('is shown beside its field, or in the list of problems, never in both', async () => {
    open();
    expect(screen.getByText('Subject must not be empty.')).toBeTruthy();
    expect(screen.getByText('Copies must be a list.')).toBeTruthy();
    expect(listProblems()).toEqual(others);
    await userEvent.click(screen.getByRole('tab', { name: 'Policy' }));
    expect(screen.getByText('Subject must not be empty.')).toBeTruthy();
    expect(listProblems()).toEqual(['Copies must be a list', ...others]);
  });
});
