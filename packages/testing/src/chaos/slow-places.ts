import type { SimulatedChannels } from '../simulated-channels';
import { getPlaceKey } from './recording';

/** Messages, by their places, for which a provider takes its time: for the first call and for each one after it. */
export type SlowPlaces = {
  /** From now on every call is for such a message, until it is told to stop. */
  begin(): { stop(): void };
  has(place: string): boolean;
};

/** Long enough to be met within it, and well below the deadline of an attempt. */
const slowAnswerMs = 3_000;

export function createSlowPlaces({ channels }: SimulatedChannels): SlowPlaces {
  const places = new Set<string>();
  let activeCount = 0;

  function getDelayMs(place: string): number {
    if (activeCount > 0) places.add(place);
    return places.has(place) ? slowAnswerMs : 0;
  }

  for (const [channel, { delayEach }] of Object.entries(channels)) {
    delayEach((target) => getDelayMs(getPlaceKey({ channel, target })));
  }
  return {
    begin() {
      activeCount += 1;
      return {
        stop() {
          activeCount -= 1;
        },
      };
    },
    has: (place) => places.has(place),
  };
}
