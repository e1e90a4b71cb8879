import { isDeepStrictEqual } from 'node:util';
import { twilioCodes } from './codes';

/** The codes that have exactly this verdict, whatever their sentence says. */
function listCodes(verdict: object): number[] {
  const isSame = (code: string) => {
    const { sentence: _sentence, ...own } = twilioCodes[Number(code)]!;
    return isDeepStrictEqual(own, verdict);
  };
  return Object.keys(twilioCodes).filter(isSame).map(Number);
}

const integration = { outcome: 'rejected', scope: 'integration' };
const recipient = { outcome: 'rejected', scope: 'recipient' };
const retry = { outcome: 'retry' };
const suppress = (reason: string, sender: string, more = {}) => ({
  ...recipient,
  suppress: { reason, for: sender, ...more },
});

// Source: Twilio's error dictionary, https://www.twilio.com/docs/api/errors
const expected: [verdict: object, codes: number[]][] = [
  [{ ...retry, slows: 'integration' }, [14107, 20429]],
  [{ ...retry, slows: 'integration', afterMs: 300_000 }, [21611, 30001, 30022]],
  [{ ...retry, afterMs: 600_000, maxAttempts: 2, blames: 'recipient' }, [30003]],
  [{ ...retry, afterMs: 60_000 }, [63010, 63012, 63017, 63018, 63021]],
  [{ outcome: 'unknown' }, [20500, 20503]],
  [{ outcome: 'unknown', blames: 'recipient' }, [30008, 30410]],
  [integration, [20003, 20005, 20404, 21609, 30002, 30023]],
  [{ ...integration, sparesIntegration: 'always' }, [21212, 21608, 30010, 63040, 63041, 63042]],
  [
    { ...integration, sparesIntegration: 'with_own_sender' },
    [21603, 21606, 21659, 21660, 21703, 21704, 21705, 30032, 30034, 30035, 63001, 63007],
  ],
  [recipient, [21266, 21408, 21612, 63003, 63015, 63024, 63031, 63049]],
  [suppress('bounced', 'every sender'), [21211, 21217, 21265, 21614, 30005, 30006]],
  [suppress('bounced', 'sender'), [30004]],
  [suppress('opted_out', 'sender', { source: 'reply' }), [21610, 63014]],
  [
    { outcome: 'rejected', scope: 'content' },
    [
      [21602, 21605, 21617, 21619, 21620, 21623, 30007, 30036, 30450, 30453],
      [63013, 63016, 63027, 63028, 92007],
    ].flat(),
  ],
];

test.each(expected)('the verdict %j has its codes of Twilio', (verdict, codes) => {
  expect(listCodes(verdict)).toEqual(codes);
});

test('every code of Twilio has one of these verdicts', () => {
  const codes = expected.flatMap(([, listed]) => listed);
  expect(codes.toSorted()).toEqual(Object.keys(twilioCodes).map(Number).toSorted());
});
