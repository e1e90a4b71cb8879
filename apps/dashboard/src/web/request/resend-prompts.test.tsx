import { act, cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import type { ChannelRow, MessageChannelRow } from '../../api/requests';
import { createTestApi, renderPart } from '../render-part.fixture';
import { ResendPrompts } from './resend-prompts';

afterEach(cleanup);

// The prompts read only these members.
const failed = {
  ...{ kind: 'message', messageId: 'm', channel: 'email', state: 'failed', waits: null },
  ...{ resendOf: null, explanation: { what: 'It failed.', remedy: null } },
  can: {
    resend: { isAllowed: true, warning: null, because: null },
    cancel: { isAllowed: false, because: null },
  },
} as unknown as MessageChannelRow;
const resent = { ...failed, messageId: 'n', state: 'queued', resendOf: 'm' };

let show: (rows: ChannelRow[]) => void;

function Request({ afterAct }: { afterAct: ChannelRow[] }) {
  const [rows, setRows] = useState<ChannelRow[]>([failed]);
  show = setRows;
  return (
    <section>
      <button type="button">Before</button>
      <ResendPrompts channelRows={rows} onChanged={async () => setRows(afterAct)} />
    </section>
  );
}

const resend = () => screen.getByRole('button', { name: 'Resend email' });

test('the focus goes to a control near the pressed button if the button went with its row', async () => {
  const api = createTestApi({ 'POST /api/apps/:appId/messages/:messageId/resend': {} });
  renderPart(<Request afterAct={[failed, resent]} />, api);
  await userEvent.click(resend());
  await waitFor(() => expect(screen.queryByText('It failed.')).toBeNull());
  expect(document.activeElement).toBe(screen.getByText('Before'));
});

test('after a refused resend, a click on an empty place is not answered with a jump of the focus', async () => {
  const api = createTestApi({});
  const problem = { code: 'wrong_state', error: 'It was resent already.' };
  api.call.mockImplementation(() => Promise.resolve({ problem } as never));
  renderPart(<Request afterAct={[failed]} />, api);
  await userEvent.click(resend());
  await screen.findByText(problem.error);
  expect(document.activeElement).toBe(resend());
  await userEvent.click(document.body);
  act(() => show([failed]));
  expect(document.activeElement).toBe(document.body);
  act(() => show([failed, resent]));
  expect(document.activeElement).toBe(document.body);
});
