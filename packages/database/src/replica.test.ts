import { judgeReplica, type PrimaryFacts, type ReplicaFacts } from './replica';

const primary: PrimaryFacts = {
  identity: '7/16384',
  startedAt: '1.5',
  lsn: '0/3000000',
  at: '9.5',
};
const following: ReplicaFacts = {
  identity: '7/16384',
  startedAt: '2.5',
  isReplica: true,
  hasAll: false,
  lagMs: 12_000,
};

describe('judgeReplica', () => {
  test.each([
    ['the age of its last commit while something is missing', {}, 12_000],
    ['0 if nothing is missing, however old the last commit is', { hasAll: true }, 0],
    ['0 if nothing is missing after a restart', { hasAll: true, lagMs: null }, 0],
    ['never negative', { lagMs: -3 }, 0],
    ['0 for the primary itself', { isReplica: false, startedAt: '1.5', lagMs: null }, 0],
  ])('the lag is %s', (_title, changes, lagMs) => {
    expect(judgeReplica(primary, { ...following, ...changes })).toEqual({ lagMs });
  });

  test.each([
    ['another server or database', { identity: '7/5', hasAll: true }, true],
    ['a server that was promoted', { isReplica: false, hasAll: true }, false],
    ['a replica that cannot say how far it is behind', { lagMs: null }, false],
  ])('refuses %s', (_title, changes, isLasting) => {
    const problem = expect.stringContaining('DATABASE_REPLICA_URL');
    expect(judgeReplica(primary, { ...following, ...changes })).toEqual({ problem, isLasting });
  });
});
