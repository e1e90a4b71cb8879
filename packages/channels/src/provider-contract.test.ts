import { inspect } from 'node:util';
import { createHttpSimulator } from '@belfry/testing';
import type { SendResult } from './channel';
import { closers, credential, type Stage } from './provider-subject.fixture';
import { listProviders, subjects, withoutNetwork } from './provider-subjects.fixture';

const deadlineMs = 5_000;
/** It may start with a host. */
const sentence = /^[A-Z0-9].*\.$/;

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

test('every provider of the registry is in this contract suite', () => {
  expect([...Object.keys(subjects), ...withoutNetwork].sort()).toEqual(listProviders().sort());
});

describe.each(Object.entries(subjects))('%s', (_name, subject) => {
  test('sends once and returns the provider’s ID', async () => {
    const stage = await subject.start();
    const { outcome } = await send(stage);
    expect(outcome).toMatchObject({
      outcome: 'accepted',
      providerMessageId: expect.stringMatching(subject.id),
    });
    expect(stage.sends()).toHaveLength(1);
  });

  test.each(subject.rows)(
    '%s is classified by the table, with a sentence',
    async (_row, fault, expected) => {
      const stage = await subject.start();
      stage.fail(fault);
      const { outcome } = await send(stage);
      expect(outcome).toMatchObject({ reason: expect.any(String), ...expected });
      expect(outcome.detail).toMatch(sentence);
      expect(stage.sends()).toEqual([]);
    },
  );

  const { redirectTo } = subject;
  if (redirectTo) {
    test('a redirect is not followed', async () => {
      const elsewhere = await createHttpSimulator({ handle: () => ({ reply: { body: {} } }) });
      closers.push(elsewhere.close);
      const stage = await subject.start();
      stage.fail(redirectTo(elsewhere.url));
      expect((await send(stage)).outcome).toMatchObject({ outcome: 'retry', reason: 'http_302' });
      expect(elsewhere.requests).toEqual([]);
      expect(stage.sends()).toEqual([]);
    });
  }

  test('a refused connection is certainly not sent, and host and port are named', async () => {
    const stage = await subject.start();
    const detail = expect.stringMatching(/^127\.0\.0\.1:\d+ refused the connection\.$/);
    expect(await sendTo(stage, 'closed port')).toMatchObject({
      outcome: { outcome: 'retry', reason: 'connection_refused', detail },
    });
    if (subject.isTestLocal) return;
    const { sender = stage.sender, ...call } = await stage.callTo('closed port');
    const signal = AbortSignal.timeout(deadlineMs);
    expect(await sender.test({ ...call, signal })).toEqual({ isWorking: false, detail });
  });

  test('a connection that breaks before the request is written is certainly not sent', async () => {
    const stage = await subject.start();
    expect((await sendTo(stage, 'no TLS')).outcome.outcome).toBe('retry');
    for (const fault of subject.faultsBefore) {
      stage.fail(fault);
      expect((await send(stage)).outcome).toMatchObject({ outcome: 'retry' });
    }
    expect(stage.sends()).toEqual([]);
  });

  test('a connection that breaks after the request was written is unknown, and is not retried', async () => {
    for (const fault of subject.faultsAfter) {
      const stage = await subject.start();
      stage.fail(fault);
      expect((await send(stage)).outcome.outcome).toBe('unknown');
      expect(stage.sends().length).toBeLessThanOrEqual(1);
    }
  });

  test('a provider that never answers takes no longer than the deadline', async () => {
    const stage = await subject.start();
    stage.fail(subject.hang);
    const startedAt = Date.now();
    const { outcome } = await send(stage, { deadlineMs: 200 });
    const detail = expect.stringMatching(
      /^127\.0\.0\.1:\d+ did not answer: timed out after \d+ ms\./,
    );
    expect(outcome).toMatchObject({ outcome: 'unknown', reason: 'timeout', detail });
    expect(Date.now() - startedAt).toBeLessThan(3_000);
  });

  test('a connection test sends nothing, and returns the provider’s answer as a sentence', async () => {
    const stage = await subject.start();
    const { settings, credentials } = stage.call;
    const testConnection = () =>
      stage.sender.test({ settings, credentials, signal: AbortSignal.timeout(deadlineMs) });
    const working = await testConnection();
    stage.fail(subject.refusal);
    const failedTest = await testConnection();
    expect([working.isWorking, failedTest.isWorking]).toEqual([true, subject.isTestLocal ?? false]);
    for (const { detail } of [working, failedTest]) {
      expect(detail).toMatch(sentence);
      expect(detail).not.toContain(credential);
    }
    expect(stage.sends()).toEqual([]);
  });

  test('a sender works again right after a failure', async () => {
    const stage = await subject.start();
    for (const fault of [...subject.faultsBefore, ...subject.faultsAfter]) {
      stage.fail(fault);
      await send(stage);
      expect((await send(stage)).outcome.outcome).toBe('accepted');
    }
  });

  test('the credential is in no result, description or output', async () => {
    const output = captureOutput();
    const stage = await subject.start();
    const results: unknown[] = [subject.provider.describe(stage.call)];
    for (const [, fault] of subject.rows) {
      stage.fail(fault);
      results.push(await send(stage));
    }
    for (const fault of [...subject.echoes, ...subject.faultsAfter]) {
      stage.fail(fault);
      results.push(await send(stage));
    }
    results.push(await send(stage), await sendTo(stage, 'closed port'));
    const everything = inspect(results, { depth: null }) + JSON.stringify(results) + output.stop();
    for (const text of [credential, `\0belfry\0${credential}`]) {
      expect(everything).not.toContain(text);
      expect(everything).not.toContain(Buffer.from(text).toString('base64').replace(/=+$/, ''));
    }
  });
});

async function send(
  { sender, call }: Pick<Stage, 'sender' | 'call'>,
  { deadlineMs: lengthMs = deadlineMs } = {},
): Promise<SendResult> {
  const signal = AbortSignal.timeout(lengthMs);
  return sender.send({ ...call, signal, deadlineAt: Date.now() + lengthMs });
}

async function sendTo(stage: Stage, place: 'closed port' | 'no TLS'): Promise<SendResult> {
  const { sender = stage.sender, ...call } = await stage.callTo(place);
  return send({ sender, call });
}

function captureOutput(): { stop(): string } {
  const chunks: string[] = [];
  const spies = [process.stdout, process.stderr].map((stream) =>
    jest.spyOn(stream, 'write').mockImplementation((chunk) => chunks.push(String(chunk)) > 0),
  );
  return {
    stop() {
      for (const spy of spies) spy.mockRestore();
      return chunks.join('');
    },
  };
}
