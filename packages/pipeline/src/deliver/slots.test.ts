import { createSlots, type Slots } from './slots';

/** Requests slots for a fairness key; returns how many were served, and how to free the first one. */
function requestSlots(slots: Slots, fairnessKey: string, count: number, max?: number) {
  const releases: ((() => void) | undefined)[] = [];
  for (let index = 0; index < count; index += 1) {
    void slots.acquire({ name: fairnessKey, max }).then((release) => releases.push(release));
  }
  return {
    served: () => releases.length,
    closed: () => releases.filter((release) => release === undefined).length,
    release: () => releases.shift()?.(),
  };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('slots', () => {
  test.each([
    { total: 10, most: 5 },
    { total: 7, most: 3 },
    { total: 1, most: 1 },
  ])('give one fairness key at most half of $total', async ({ total, most }) => {
    const slots = createSlots(total);
    const requests = requestSlots(slots, 'a', total * 2);
    await settle();
    expect(requests.served()).toBe(most);
  });

  test('give a fairness key with fewer connections no more slots than connections', async () => {
    const slots = createSlots(10);
    const bounded = requestSlots(slots, 'a', 20, 2);
    const other = requestSlots(slots, 'b', 20);
    await settle();
    expect([bounded.served(), other.served()]).toEqual([2, 5]);
    bounded.release();
    await settle();
    expect(bounded.served()).toBe(2);
  });

  test('leave a slot for a key that comes after a long queue of another one', async () => {
    const slots = createSlots(4);
    requestSlots(slots, 'hangs', 1_000);
    const late = requestSlots(slots, 'late', 1);
    await settle();
    expect(late.served()).toBe(1);
  });

  test('serve waiting keys in turn, however long their queues are', async () => {
    const slots = createSlots(2);
    const holders = [requestSlots(slots, 'x', 1), requestSlots(slots, 'y', 1)];
    const long = requestSlots(slots, 'long', 100);
    const short = requestSlots(slots, 'short', 1);
    await settle();
    for (const holder of holders) holder.release();
    await settle();
    expect([long.served(), short.served()]).toEqual([1, 1]);
  });

  test('count a slot that is released twice once', async () => {
    const slots = createSlots(2);
    const release = await slots.acquire({ name: 'a' });
    release?.();
    release?.();
    const requests = [
      requestSlots(slots, 'b', 2),
      requestSlots(slots, 'c', 2),
      requestSlots(slots, 'd', 2),
    ];
    await settle();
    expect(requests.map((each) => each.served())).toEqual([1, 1, 0]);
  });

  test('refuse waiting and new requests once they are closed', async () => {
    const slots = createSlots(2);
    const requests = requestSlots(slots, 'a', 3);
    await settle();
    slots.close();
    await settle();
    expect(requests.closed()).toBe(2);
    expect(await slots.acquire({ name: 'b' })).toBeUndefined();
  });

  test('serve each of a long queue once if each releases its slot at once', () => {
    const slots = createSlots(2);
    const count = 20_000;
    let served = 0;
    slots.acquireEach({ name: 'a' }, count, (release) => {
      served += 1;
      release?.();
    });
    slots.acquireEach({ name: 'b' }, 0, () => {
      served += 1;
    });
    expect(served).toBe(count);
  });

  test('refuse each waiting request when they are closed', () => {
    const slots = createSlots(2);
    const results: boolean[] = [];
    slots.acquireEach({ name: 'a' }, 3, (release) => results.push(release !== undefined));
    slots.close();
    slots.acquireEach({ name: 'a' }, 2, (release) => results.push(release !== undefined));
    expect(results).toEqual([true, false, false, false, false]);
  });
});
